import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from './testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from './testing/test-site.ts';

let site: TestSite;
let client: TestFetcher;

beforeAll(async () => {
  site = await startTestSite(({ url }, response) => {
    if (url === '/nothing') sendPage(response, '');
    else if (url === '/blank') sendPage(response, '\r\n');
    else if (url === '/untyped') response.writeHead(200).end();
    else if (url === '/no-content') response.writeHead(204).end();
    else if (url === '/json') response.writeHead(200, { 'content-type': 'application/json' }).end();
    else sendPage(response, '<script>document.documentElement.innerHTML = ""</script>');
  });
  client = await createTestFetcher(site.host);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
});

it.each([
  ['/nothing', false],
  ['/blank', false],
  ['/untyped', false],
  ['/no-content', false],
  ['/nothing', true],
  ['/blank', true],
])('an empty page is called so, and may be tried again: %s (browser: %s)', async (path, useBrowser) => {
  await expect(client.fetch(site.origin + path, { useBrowser })).rejects.toMatchObject({
    code: 'fetch_failed',
    retryable: true,
    options: { detail: 'the target answered with an empty page' },
  });
});

it('a page that its script has emptied, and an empty answer that is no page, are handed over', async () => {
  expect((await client.fetch(`${site.origin}/emptied`, { useBrowser: true })).status).toBe(200);
  expect((await client.fetch(`${site.origin}/json`)).body.length).toBe(0);
});

it('whoever takes any answer gets the empty page', async () => {
  const page = await client.fetch(`${site.origin}/nothing`, {}, { allowStatuses: 'any' });
  expect(page.body.length).toBe(0);
});
