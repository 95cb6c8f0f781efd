import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCanary, type Canary } from '../testing/canary.ts';
import { NAVIGATIONS, subresourcePage } from '../testing/hostile-pages.ts';
import { INNER_URLS, loopbackUrls } from '../testing/hostile-urls.ts';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

let canary: Canary;
let site: TestSite;
let guarded: TestFetcher;
let page = '';

/** Set it to run the same test with another Chromium than the installed one. */
const browser = { executablePath: process.env['CHROMIUM_PATH'] };

const BROWSER = { useBrowser: true, blockResources: false };

beforeAll(async () => {
  canary = await startCanary();
  site = await startTestSite(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://site');
    if (pathname === '/to') {
      response
        .writeHead(Number(searchParams.get('status') ?? 302), { location: searchParams.get('url') ?? '' })
        .end();
    } else if (pathname === '/service-worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      response.end(`fetch('http://127.0.0.1:${canary.port}/service-worker')`);
    } else sendPage(response, page);
  });
  guarded = await createTestFetcher(site.host, { browser, resolve: async () => ['127.0.0.1'] });
});

afterAll(async () => {
  await guarded.fetcher.close();
  await site.close();
  await canary.close();
});

function viaRedirect(url: string): string {
  return `${site.origin}/to?url=${encodeURIComponent(url)}`;
}
function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

describe('Chromium', () => {
  it.each([
    ['directly', (kind: string) => `http://127.0.0.1:${canary.port}/${kind}`],
    [
      'by a redirect of the page’s own site',
      (kind: string) => viaRedirect(`http://127.0.0.1:${canary.port}/${kind}`),
    ],
    ['by name', (kind: string) => `http://rebind.example.com:${canary.port}/${kind}`],
  ])('lets no subresource of any kind reach an inner address %s', async (_way, at) => {
    const host = _way === 'by name' ? 'localhost' : '127.0.0.1';
    page = subresourcePage(at, { host, port: canary.port });
    const fetched = await guarded.fetch(`${site.origin}/`, {
      ...BROWSER,
      waitForBrowser: '#tried',
      waitSeconds: 1.5,
    });
    const html = text(fetched.body);
    expect(Number(/<p id="tried">(\d+)/.exec(html)?.[1])).toBeGreaterThanOrEqual(24);
    expect(html).not.toContain('root:');
    expect(canary.hits()).toEqual([]);
  });

  it.each(Object.entries(NAVIGATIONS))(
    'does not follow a page to an inner address: %s',
    async (_kind, write) => {
      page = write(`http://127.0.0.1:${canary.port}/`);
      await guarded.fetch(`${site.origin}/`, { ...BROWSER, waitSeconds: 0.4 }).catch(() => undefined);
      page = write(viaRedirect(`http://127.0.0.1:${canary.port}/`));
      await guarded.fetch(`${site.origin}/`, { ...BROWSER, waitSeconds: 0.4 }).catch(() => undefined);
      expect(canary.hits()).toEqual([]);
    },
  );

  it.each(['file:///etc/passwd', 'chrome://version/', 'view-source:file:///etc/passwd'])(
    'shows nothing of %s to a page that goes there',
    async (url) => {
      page = `<p>text</p><script>location.href = ${JSON.stringify(url)}</script>`;
      const html = await guarded.fetch(`${site.origin}/`, { ...BROWSER, waitSeconds: 0.4 }).then(
        (fetched) => text(fetched.body),
        () => '',
      );
      expect(html).not.toContain('root:');
      const redirected = guarded.fetch(viaRedirect(url), BROWSER);
      await expect(redirected).rejects.toMatchObject({ code: 'fetch_failed' });
    },
  );

  it('refuses hostile addresses as targets and behind redirects of each kind', async () => {
    // A sample is enough: the matrix of the other clients tests the same decision in full.
    const sample = [...loopbackUrls(canary.port), ...INNER_URLS].filter((_url, index) => index % 4 === 0);
    for (let start = 0; start < sample.length; start += 4) {
      const refusals = sample
        .slice(start, start + 4)
        .map((url) =>
          expect(guarded.fetch(url, BROWSER), url).rejects.toMatchObject({ code: 'fetch_failed' }),
        );
      await Promise.all(refusals);
    }
    for (const status of [301, 302, 303, 307, 308]) {
      const url = `${site.origin}/to?status=${status}&url=${encodeURIComponent(`http://127.0.0.1:${canary.port}/`)}`;
      await expect(guarded.fetch(url, BROWSER)).rejects.toMatchObject({
        options: { detail: 'target not allowed' },
      });
    }
    expect(canary.hits()).toEqual([]);
  });

  it('would reach the canary in most of these ways if it were allowed', async () => {
    const open = await createTestFetcher('127.0.0.0/8', { browser, resolve: async () => ['127.0.0.1'] });
    page = subresourcePage((kind) => `http://127.0.0.1:${canary.port}/${kind}`, {
      host: '127.0.0.1',
      port: canary.port,
    });
    await open.fetch(`${site.origin}/`, { ...BROWSER, waitForBrowser: '#tried', waitSeconds: 5 });
    await open.fetcher.close();
    expect(canary.hits().length).toBeGreaterThan(30);
    // The browser makes no connection past the proxy, not even to allowed addresses.
    expect(canary.hits()).not.toContain('datagram');
  });
});
