/** Stands in for the key in requests of a reader who isn't signed in: the shell's variable of the README. */
const SHELL_VARIABLE = '$GLEANER_API_KEY';

/** `/docs`: a page of our own around the reference. */
export const DOCS_PAGE = `<!doctype html>
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
export const DOCS_SCRIPT = `const OWN = { 'x-gleaner-dashboard': '1' };
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
