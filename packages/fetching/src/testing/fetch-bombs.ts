import { AppError } from '@gleaner/contracts';
import { makeBombs } from './bombs.ts';
import { createTestFetcher } from './test-fetcher.ts';
import { startTestProxy } from './test-proxy.ts';
import { sendPage, startTestSite } from './test-site.ts';

/**
 * Fetches each bomb and prints as JSON how it ended and by how many bytes memory rose: the memory of a test's own process
 * is also that of the tests before it.
 */
async function fetchBombs(): Promise<void> {
  const bombs = await makeBombs();
  const site = await startTestSite(({ url }, response) => {
    const bomb = Object.entries(bombs).find(([encoding]) => url === `/${encodeURIComponent(encoding)}`);
    if (bomb === undefined) sendPage(response, '<p>page</p>');
    else response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': bomb[0] }).end(bomb[1]);
  });
  const proxy = await startTestProxy({ password: 'pass' });
  const client = await createTestFetcher(site.host, { proxies: { highquality: [proxy.url('user:pass')] } });
  const rises: { name: string; detail: string | undefined; bytes: number }[] = [];
  // impit, which fetches through the proxy, reads only the first of several gzip members: that bomb is none to it.
  for (const name of ['gzip', 'zstd', 'br', 'gzip, gzip', 'zstd by impit', 'br by impit']) {
    const config = name.endsWith(' by impit') ? { proxy: 'highquality' as const } : {};
    await client.fetch(`${site.origin}/warm`, config);
    const before = process.memoryUsage.rss();
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage.rss());
    }, 2);
    const url = `${site.origin}/${encodeURIComponent(name.replace(' by impit', ''))}`;
    const detail = await client.fetch(url, config).then(
      () => undefined,
      (error: unknown) => (error instanceof AppError ? error.options.detail : String(error)),
    );
    clearInterval(watch);
    rises.push({ name, detail, bytes: highest - before });
  }
  process.stdout.write(JSON.stringify(rises));
  await client.fetcher.close();
  await proxy.close();
  await site.close();
}

await fetchBombs();
