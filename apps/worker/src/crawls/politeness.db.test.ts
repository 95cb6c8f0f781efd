import { setTimeout as delay } from 'node:timers/promises';
import { sendPage } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';

let world: CrawlWorld;
let workers: TestWorker[];
let running = 0;
let most = 0;
const held = Promise.withResolvers<void>();
beforeAll(async () => {
  world = await openCrawlWorld(({ url, headers }, response) => {
    running += 1;
    most = Math.max(most, running);
    response.on('close', () => {
      running -= 1;
    });
    if (url.startsWith('/from')) response.writeHead(302, { location: `/to${url.slice(5)}` }).end();
    else if (url === '/gate') response.writeHead(302, { location: '/room', 'set-cookie': 'pass=1' }).end();
    else if (url === '/round') response.writeHead(302, { location: '/round' }).end();
    else if (url === '/room' && headers.cookie !== 'pass=1') response.writeHead(403).end();
    else if (url === '/held/0') void held.promise.then(() => sendPage(response, '<h1>held</h1>'));
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

/** Waits until a page of the run waits for its turn. */
async function awaitWaiting(id: string): Promise<void> {
  await expect
    .poll(() => world.call('getBatch', { params: { id } }), { timeout: 100_000 })
    .toMatchObject({ counts: { pending: 1, running: 0 }, waiting: { tasks: 1 } });
}

/** Waits for the end of a run whose pages wait for hours, while the time passes. */
async function awaitEnd(id: string): Promise<unknown> {
  let isEnded = false;
  const ended = world.awaitBatch(id).finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    await world.passTime();
    await delay(50);
  }
  return ended;
}

it('a redirect that has to wait is a row that goes on at its address, and loses no attempt', async () => {
  const id = await submit(['/from/1'], { hostDelaySeconds: 600, retries: 0 });
  await awaitWaiting(id);
  expect([asked('/from').length, asked('/to').length]).toEqual([1, 0]);
  expect(await awaitEnd(id)).toMatchObject({ counts: { succeeded: 1 } });
  expect([asked('/from').length, asked('/to').length]).toEqual([1, 1]);
  const { results } = (await world.call('getBatchResults', { params: { id } })) as { results: object[] };
  expect(results).toMatchObject([{ url: `${world.site.origin}/from/1`, data: { title: '/to/1' } }]);
});

it('takes the cookies along that a redirect set', async () => {
  const id = await submit(['/gate'], { hostDelaySeconds: 600, retries: 0 });
  await awaitWaiting(id);
  expect(await awaitEnd(id)).toMatchObject({ counts: { succeeded: 1 } });
  expect([asked('/gate').length, asked('/room').length]).toEqual([1, 1]);
});

it('follows no more redirects over its waits than at once', async () => {
  const id = await submit(['/round'], { hostDelaySeconds: 600, retries: 0 });
  expect(await awaitEnd(id)).toMatchObject({ status: 'failed' });
  expect(asked('/round')).toHaveLength(11);
  expect(await world.call('getBatchFailures', { params: { id } })).toMatchObject({
    failures: [{ detail: 'more than 10 redirects', attempts: 1 }],
  });
});

it('a redirect that only its own page can follow fails with what to do when it has no turn in time', async () => {
  const cookies = { member: '1' };
  const id = await submit(['/gate'], { hostDelaySeconds: 600, timeoutSeconds: 1, cookies });
  expect(await world.awaitBatch(id)).toMatchObject({ status: 'failed' });
  expect(await world.call('getBatchFailures', { params: { id } })).toMatchObject({
    failures: [{ detail: expect.stringContaining('leaves a redirect no turn'), attempts: 1 }],
  });
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

it('pages that wait for a place of their host are few rows, and go on when it is free, long before their time', async () => {
  most = 0;
  const id = await submit(
    Array.from({ length: 300 }, (_, page) => `/held/${page}`),
    { hostConcurrency: 1 },
  );
  const { sql } = world.services.db;
  const readWaiting = async () => {
    const [waiting] = await sql<{ rows: number; tasks: number }[]>`
      SELECT count(*)::int AS rows, coalesce(sum(c.remaining), 0)::int AS tasks
      FROM gleaner.chunks c JOIN gleaner.runs r ON r.no = c.run_no WHERE r.id = ${id} AND c.state = 'pending'`;
    return { isMost: (waiting?.tasks ?? 0) >= 290, areFew: (waiting?.rows ?? 0) <= 4 };
  };
  // One page holds the only place, and one waits in its slot; both have the rest of their chunks with them.
  await expect.poll(readWaiting, { timeout: 100_000 }).toEqual({ isMost: true, areFew: true });
  await sql`UPDATE gleaner.chunks SET not_before = now() + interval '1 hour' WHERE state = 'pending'`;
  held.resolve();
  expect(await world.awaitBatch(id)).toMatchObject({ counts: { succeeded: 300 } });
  expect(asked('/held')).toHaveLength(300);
  expect(most).toBe(1);
});

it('a run with a short delay ends, each page asked for once', async () => {
  const id = await submit(
    Array.from({ length: 20 }, (_, page) => `/short/${page}`),
    { hostDelaySeconds: 0.05 },
  );
  expect(await world.awaitBatch(id)).toMatchObject({ counts: { succeeded: 20 } });
  expect(asked('/short')).toHaveLength(20);
});
