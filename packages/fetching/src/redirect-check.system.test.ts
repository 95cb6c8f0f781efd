import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { RedirectRefusedError } from './redirect-check.ts';
import { createTestFetcher, type TestFetcher } from './testing/test-fetcher.ts';
import { startTestProxy, type TestProxy } from './testing/test-proxy.ts';
import { sendPage, startTestSite, type TestSite } from './testing/test-site.ts';

let site: TestSite;
let other: TestSite;
let proxy: TestProxy;
let client: TestFetcher;
let body = '';

beforeAll(async () => {
  other = await startTestSite((_request, response) => sendPage(response, '<p>elsewhere</p>'));
  site = await startTestSite(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://site');
    const to = searchParams.get('to') ?? '/page';
    if (pathname === '/hop') response.writeHead(302, { location: to }).end();
    else if (pathname === '/refresh')
      sendPage(response, `<meta http-equiv="refresh" content="0;url=${to}"><p>left</p>`);
    else if (pathname === '/script')
      sendPage(response, `<p>left</p><script>location.href = ${JSON.stringify(to)}</script>`);
    else if (pathname === '/pushed')
      sendPage(response, `<p>left</p><script>history.pushState(null, '', ${JSON.stringify(to)})</script>`);
    else sendPage(response, body === '' ? '<p>page</p>' : body);
  });
  proxy = await startTestProxy({ password: 'secret' });
  client = await createTestFetcher(`${site.host},${other.host}`, {
    proxies: { highquality: [proxy.url('user:secret')] },
  });
});

afterAll(async () => {
  await client.fetcher.close();
  await Promise.all([site.close(), other.close(), proxy.close()]);
});

function leading(path: string, to: string): string {
  return `${site.origin}${path}?to=${encodeURIComponent(to)}`;
}

/** Follows within the site and not below /closed. */
function mayFollow(url: URL): boolean {
  return url.origin === site.origin && !url.pathname.startsWith('/closed');
}

const BROWSER = { useBrowser: true, timeoutSeconds: 110 };

describe.each([
  ['plain HTTP', {}],
  ['a proxy tier', { proxy: 'highquality' }],
  ['the browser', BROWSER],
])('a fetch with %s', (_client, config) => {
  const fetchPage = (url: string) => client.fetch(url, config, { mayFollow });

  it('follows the redirects that its caller allows', async () => {
    const page = await fetchPage(leading('/hop', leading('/hop', '/page')));
    expect(page.finalUrl).toBe(`${site.origin}/page`);
  });

  it('sends nothing to an address that its caller refuses', async () => {
    const target = `${other.origin}/away`;
    const refused = await fetchPage(leading('/hop', leading('/hop', target))).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(RedirectRefusedError);
    expect(refused).toMatchObject({ code: 'fetch_failed', retryable: false, target });
    await expect(fetchPage(leading('/hop', '/closed'))).rejects.toMatchObject({
      target: `${site.origin}/closed`,
      options: { detail: `the page redirects to ${site.origin}/closed, which is not to be fetched` },
    });
    expect(other.requests).toEqual([]);
    expect(site.requests.filter(({ url }) => url.startsWith('/closed'))).toEqual([]);
  });

  it('does not ask about the requested address itself', async () => {
    const { status } = await client.fetch(`${site.origin}/closed/start`, config, { mayFollow });
    expect(status).toBe(200);
    site.requests.length = 0;
  });
});

describe('a page in the browser', () => {
  const fetchPage = (url: string, more = {}) => client.fetch(url, { ...BROWSER, ...more }, { mayFollow });

  it.each(['/refresh', '/script'])('is stopped on its way elsewhere: %s', async (path) => {
    for (const target of [`${other.origin}/`, `${site.origin}/closed`, leading('/hop', `${other.origin}/`)])
      await expect(fetchPage(leading(path, target))).rejects.toBeInstanceOf(RedirectRefusedError);
    expect(other.requests).toEqual([]);
    const page = await fetchPage(leading(path, '/page'));
    expect(page.finalUrl).toBe(`${site.origin}/page`);
  });

  it('is refused when its script gives it such an address', async () => {
    await expect(fetchPage(leading('/pushed', '/closed'))).rejects.toMatchObject({
      target: `${site.origin}/closed`,
    });
    expect((await fetchPage(leading('/pushed', '/page'))).finalUrl).toBe(`${site.origin}/page`);
  });

  it('may show others in frames, and is not slowed by them', async () => {
    body = `<p>page</p><iframe src="${other.origin}/frame"></iframe><embed src="${other.origin}/embed"><object data="${other.origin}/object"></object>`;
    for (let turn = 0; turn < 5; turn += 1) {
      const startedAt = Date.now();
      await fetchPage(`${site.origin}/frames`);
      if (inject('isLong')) expect(Date.now() - startedAt).toBeLessThan(5_000);
    }
    expect(other.requests.map(({ url }) => url)).toContain('/frame');
    body = '';
  });
});
