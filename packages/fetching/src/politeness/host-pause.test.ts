import { expect, it } from 'vitest';
import { createTestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite } from '../testing/test-site.ts';

it.each([0, 2])(
  'a pause longer than timeoutSeconds is reported at once, with %d retries',
  async (retries) => {
    const site = await startTestSite(({ url }, response) => {
      if (url === '/busy') response.writeHead(503, { 'retry-after': '3600' }).end();
      else sendPage(response, '<p>page</p>');
    });
    const client = await createTestFetcher(site.host);
    await client.fetch(`${site.origin}/busy`).catch(() => undefined);
    await expect(client.fetch(`${site.origin}/`, { timeoutSeconds: 60, retries })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: true,
      options: {
        // Less by the time that it would have waited.
        retryAfterSeconds: expect.closeTo(3_600, -2),
        detail: `${site.host} asked for a pause`,
      },
    });
    expect(site.requests.map(({ url }) => url)).toEqual(['/busy']);
    await client.fetcher.close();
    await site.close();
  },
);

it('a request that is queued again waits for short pauses only', async () => {
  const site = await startTestSite(({ url }, response) => {
    if (url === '/busy') response.writeHead(429, { 'retry-after': '3600' }).end();
    else sendPage(response, '<p>page</p>');
  });
  const counted: string[] = [];
  const metrics = { fetched: ({ outcome }: { outcome: string }) => void counted.push(outcome) };
  const client = await createTestFetcher(site.host, {}, { metrics });
  const fetchOnce = (path: string) =>
    client.fetcher.fetchPage({
      url: `${site.origin}${path}`,
      config: {},
      deadlineAt: Date.now() + 60_000,
      signal: new AbortController().signal,
      accountId: 'acc_test',
      attempts: 'none',
      isRequeuedWhenBusy: true,
    });
  await fetchOnce('/busy').catch(() => undefined);
  await expect(fetchOnce('/')).rejects.toMatchObject({
    options: { retryAfterSeconds: expect.closeTo(3_600, -2), detail: `${site.host} asked for a pause` },
  });
  // The second one asked nobody.
  expect(counted).toEqual(['target_blocked']);
  await client.fetcher.close();
  await site.close();
});
