import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { AppError } from '@gleaner/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * The dashboard loads nothing from elsewhere and sends nothing there. The parser studio's frame inherits this policy:
 * styles may stand inline because the pages shown there have theirs so.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const YEAR_SECONDS = 31_536_000;

/** First segments of API paths. Unknown ones return a 404 in JSON, also for browsers. */
const API_PATHS =
  /^\/(v1|mcp|session|admin|docs|bot|files|assets|openapi\.json|healthz|readyz|metrics)(\/|$|\?)/;

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return !API_PATHS.test(url) && headers.accept?.includes('text/html') === true;
}

/** The files that every page but the sign-in needs, as a `Link` header: browsers request them before they know why. */
function announceFrame(folder: string): string {
  return readdirSync(join(folder, 'assets'))
    .filter((name) => /^frame-[^.]+\.(js|css)$/.test(name))
    .map(
      (name) =>
        `</assets/${name}>; rel=${name.endsWith('.js') ? 'modulepreload' : 'preload; as=style; crossorigin'}`,
    )
    .join(', ');
}

/** Sends the dashboard's page to a browser that navigates. @returns whether it was sent */
export type PageFallback = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Serves the built dashboard: its page at `/` and at every address of its own, its files under /assets.
 * @param folder apps/dashboard/dist; without it a browser reads how to build it
 */
export async function registerDashboard(app: FastifyInstance, folder: string): Promise<PageFallback> {
  if (!existsSync(join(folder, 'index.html'))) return refuseUnbuilt;
  await app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    globIgnore: ['**/*.br', '**/*.gz', 'index.html', '.*'],
    setHeaders: (reply, path) => {
      const isHashed = path.includes('/assets/');
      reply.header('cache-control', isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
      // A worker's script brings the worker's policy.
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    },
  });
  const frame = announceFrame(folder);
  const sendPage = ({ url }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!/^\/(sign-in|operator)\b/.test(url)) reply.header('link', frame);
    return reply.sendFile('index.html');
  };
  app.get('/', sendPage);
  // Where earlier versions and their pages sent the operator.
  app.get('/admin', async (_request, reply) => reply.redirect('/operator'));
  return (request, reply) => {
    if (!wantsPage(request)) return false;
    void sendPage(request, reply.code(200));
    return true;
  };
}

function refuseUnbuilt(request: FastifyRequest): boolean {
  if (!wantsPage(request)) return false;
  throw new AppError('not_found', {
    detail: 'the dashboard is not built',
    hint: '`npm start` builds it; `npm run build -w apps/dashboard` does so by hand.',
  });
}
