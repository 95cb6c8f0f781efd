import type { Operation } from '@gleaner/contracts';
import type { FastifyInstance } from 'fastify';
import { registerLateRoutes } from '../http/late-routes.ts';
import { isKnown } from '../http/send-answer.ts';
import { DOCS_PAGE, DOCS_SCRIPT } from './docs-page.ts';
import { createCompressed } from './compress-once.ts';
import { buildDocument } from './build-document.ts';

/** Lets the page load nothing from elsewhere: it works offline and leaks nothing. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'";

const SCRIPT_PREFIX = '/docs/reference';

/** `/openapi.json` and the human page at `/docs`. */
export function registerDocs(app: FastifyInstance, operations: readonly Operation[]): void {
  let text: string | undefined;
  const compressedDocument = createCompressed();
  app.get('/openapi.json', async (request, reply) => {
    text ??= JSON.stringify(buildDocument(operations, '/'));
    if (isKnown(reply, text)) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    return compressedDocument(request, reply, text);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/docs')) reply.header('content-security-policy', DOCS_POLICY);
    if (/^\/docs\/reference\/?$/.test(request.url)) return reply.redirect('/docs', 301);
    return undefined;
  });
  for (const path of ['/docs', '/docs/']) {
    app.get(path, (_request, reply) => reply.type('text/html; charset=utf-8').send(DOCS_PAGE));
  }
  app.get('/docs/page.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(DOCS_SCRIPT),
  );
  // Only its script is used: its own page has neither our title nor the reader's key.
  registerLateRoutes(app, [`${SCRIPT_PREFIX}/js/scalar.js`], async (inner) => {
    const { default: scalar } = await import('@scalar/fastify-api-reference');
    const compressedScript = createCompressed();
    inner.addHook('onSend', (request, reply, payload: string | Buffer) =>
      compressedScript(request, reply, payload),
    );
    await inner.register(scalar, { routePrefix: SCRIPT_PREFIX, configuration: { url: '/openapi.json' } });
  });
}
