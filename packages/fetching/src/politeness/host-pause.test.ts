import { expect, it } from 'vitest';
import { createTestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite } from '../testing/test-site.ts';

it.each([0, 2])(
  'a pause longer than timeoutSeconds is reported at once, with %d retries',
  async (retries) => {
    const site = await startTestSite(({ url }, response) => {
      if (url === '/busy') response.writeHead(503, { 'retry-after': '15' }).end();
      else sendPage(response, '<p>page</p>');
    });
    const client = await createTestFetcher(site.host);
    await client.fetch(`${site.origin}/busy`).catch(() => undefined);
    const startedAt = Date.now();
    await expect(client.fetch(`${site.origin}/`, { timeoutSeconds: 2, retries })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: true,
      options: {
        retryAfterSeconds: 15,
        detail: `${site.host} asked for a pause`,
      },
    });
    expect(Date.now() - startedAt).toBeLessThan(1_500);
    expect(site.requests.map(({ url }) => url)).toEqual(['/busy']);
    await client.fetcher.close();
    await site.close();
  },
);

it('a request that is queued again waits for short pauses only', async () => {
  const site = await startTestSite(({ url }, response) => {
    if (url === '/busy') response.writeHead(429, { 'retry-after': '10' }).end();
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
  const startedAt = Date.now();
  await expect(fetchOnce('/')).rejects.toMatchObject({
    options: { retryAfterSeconds: 10, detail: `${site.host} asked for a pause` },
  });
  expect(Date.now() - startedAt).toBeLessThan(1_500);
  // The second one asked nobody.
  expect(counted).toEqual(['target_blocked']);
  await client.fetcher.close();
  await site.close();
});
