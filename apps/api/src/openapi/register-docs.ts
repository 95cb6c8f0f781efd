import { createHash } from 'node:crypto';
import type { Operation } from '@gleaner/contracts';
import type { FastifyInstance } from 'fastify';
import { registerLateRoutes } from '../http/late-routes.ts';
import { buildDocument } from './build-document.ts';

/** Stands in for the key in requests of a reader who isn't signed in: the shell's variable of the README. */
const SHELL_VARIABLE = '$KEY';

/** `/docs`: a page of our own around the reference. */
const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Gleaner API</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/reference/js/scalar.js"></script>
    <script src="/docs/page.js" type="module"></script>
  </body>
</html>
`;

/**
 * The script of that page. A signed-in reader's requests carry the session: keys are stored as digests, so only the
 * shown part of the own key can stand in the samples, and it is taken out of what is really sent.
 */
const DOCS_SCRIPT = `const OWN = { 'x-gleaner-dashboard': '1' };
const [description, session] = await Promise.all([
  fetch('/openapi.json').then((answer) => answer.json()),
  fetch('/session', { headers: OWN }).then((answer) => (answer.ok ? answer.json() : undefined), () => undefined),
]);
// A header holds no ellipsis.
const shown = session?.key.shown.replaceAll('…', '...') ?? ${JSON.stringify(SHELL_VARIABLE)};
description.components.securitySchemes.apiKeyHeader['x-scalar-secret-token'] = shown;
delete description.components.securitySchemes.apiKeyQuery;
description.security = [{ apiKeyHeader: [] }];
const send = window.fetch.bind(window);
window.fetch = (input, init) => {
  const request = new Request(input, init);
  if (new URL(request.url).origin !== location.origin || request.headers.get('x-api-key') !== shown) {
    return send(request);
  }
  const headers = new Headers(request.headers);
  headers.delete('x-api-key');
  if (session !== undefined) headers.set('x-gleaner-dashboard', '1');
  return send(new Request(request, { headers, credentials: 'same-origin' }));
};
window.Scalar.createApiReference('#app', {
  content: description,
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
});
`;

/** Lets the page load nothing from elsewhere: it works offline and leaks nothing. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'";

const SCRIPT_PREFIX = '/docs/reference';

/** `/openapi.json` and the human page at `/docs`. */
export function registerDocs(app: FastifyInstance, operations: readonly Operation[]): void {
  let built: { text: string; etag: string } | undefined;
  const build = (): { text: string; etag: string } => {
    const text = JSON.stringify(buildDocument(operations, '/'));
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  };
  app.get('/openapi.json', async (request, reply) => {
    built ??= build();
    const { text, etag } = built;
    reply.header('etag', etag).header('cache-control', 'public, max-age=60');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(text);
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
    await inner.register(scalar, { routePrefix: SCRIPT_PREFIX, configuration: { url: '/openapi.json' } });
  });
}
