import { sendPage } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';

let world: CrawlWorld;
let workers: TestWorker[];
let running = 0;
let most = 0;
beforeAll(async () => {
  world = await openCrawlWorld(({ url }, response) => {
    running += 1;
    most = Math.max(most, running);
    response.on('close', () => {
      running -= 1;
    });
    if (url.startsWith('/from')) response.writeHead(302, { location: `/to${url.slice(5)}` }).end();
    else setImmediate(() => sendPage(response, `<h1>${url}</h1>`));
  });
  workers = [await world.startWorker(), await world.startWorker()];
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(world.faults).toEqual([]);
  await world.close();
});

async function makeParser(): Promise<string> {
  const body = { name: 'page', schema: { fields: { title: 'h1' } } };
  return ((await world.call('createParser', { body })) as { id: string }).id;
}

async function submit(paths: readonly string[], scrape_config: object): Promise<string> {
  const target = { type: 'parser', parserId: await makeParser() };
  const urls = paths.map((path) => `${world.site.origin}${path}`);
  return ((await world.call('createBatch', { body: { target, urls, scrape_config } })) as { id: string }).id;
}

function asked(prefix: string): string[] {
  return world.site.requests.map(({ url }) => url).filter((url) => url.startsWith(prefix));
}

it('pages that have to wait are rows that say why and until when, and cost neither a slot nor an attempt', async () => {
  const id = await submit(['/wait/1', '/wait/2', '/wait/3'], { hostDelaySeconds: 600 });
  const read = () => world.call('getBatch', { params: { id } });
  await expect.poll(read, { timeout: 100_000 }).toMatchObject({
    counts: { succeeded: 1, pending: 2, running: 0 },
    waiting: { tasks: 2, reason: `hostDelaySeconds of ${world.site.host}` },
  });
  const { waiting } = (await read()) as { waiting: { until: string } };
  expect(Date.parse(waiting.until)).toBeGreaterThan(Date.now() + 300_000);
  expect(asked('/wait')).toHaveLength(1);
  await world.call('cancelBatch', { params: { id } });
});

it('a redirect counts as a page that is asked for, and one that has no turn in time fails with what to do', async () => {
  const id = await submit(['/from/1'], { hostDelaySeconds: 600 });
  expect(await world.awaitBatch(id)).toMatchObject({ status: 'failed' });
  expect(await world.call('getBatchFailures', { params: { id } })).toMatchObject({
    failures: [{ detail: expect.stringContaining('leaves a redirect no turn'), attempts: 1 }],
  });
  expect([asked('/from').length, asked('/to').length]).toEqual([1, 0]);
});

it('a run asks for no more pages at once than it may, and ends with all of them', async () => {
  most = 0;
  const id = await submit(
    Array.from({ length: 12 }, (_, page) => `/few/${page}`),
    { hostConcurrency: 2 },
  );
  expect(await world.awaitBatch(id)).toMatchObject({ counts: { succeeded: 12 } });
  expect(most).toBeLessThanOrEqual(2);
});

it('a run with a short delay ends, each page asked for once', async () => {
  const id = await submit(
    Array.from({ length: 20 }, (_, page) => `/short/${page}`),
    { hostDelaySeconds: 0.05 },
  );
  expect(await world.awaitBatch(id)).toMatchObject({ counts: { succeeded: 20 } });
  expect(asked('/short')).toHaveLength(20);
});
