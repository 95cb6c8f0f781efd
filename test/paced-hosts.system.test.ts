import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createTestDatabase } from '@gleaner/db/testing';
import { expect, it } from 'vitest';
import { startSystem } from './system/start-system.ts';
import { until } from './system/until.ts';

const DELAY_MS = 800;
/** A busy machine may stop a worker between what it says of a request and the bytes of that. */
const LEAST_MS = DELAY_MS / 2;
const PAGES = 10;

interface Batch {
  id: string;
  status: string;
  counts: { succeeded: number };
}

/** A site that notes when each page was asked for, and by how much its notes may be late. */
async function startSite() {
  const askedAt: number[] = [];
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();
  const server = createServer((_request, response) => {
    askedAt.push(performance.now());
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>page</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    askedAt,
    lateMs: () => stalls.max / 1e6,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      stalls.disable();
      server.closeAllConnections();
      server.close();
    },
  };
}

it('a run keeps its delay at a host over three workers that are killed', { timeout: 400_000 }, async () => {
  const database = await createTestDatabase();
  const system = await startSystem({ databaseUrl: database.url, redisUrl: undefined, workers: 3 });
  const site = await startSite();
  try {
    const client = await system.client({ credits: 1_000, concurrency: 20 });
    const { json } = await client.call('POST', '/v1/batches', {
      target: { type: 'parser', parserId: 'page' },
      urls: Array.from({ length: PAGES }, (_, page) => `${site.origin}/${page}`),
      scrape_config: { hostDelaySeconds: DELAY_MS / 1_000 },
    });
    const { id } = json as Batch;
    await until('some pages were asked for', () => site.askedAt.length >= 4);
    const killed = system.workers.splice(0);
    await Promise.all([...killed.map((worker) => worker.kill()), ...killed.map(() => system.addWorker())]);
    await until(
      'the batch ends',
      async () => ((await client.call('GET', `/v1/batches/${id}`)).json as Batch).status === 'succeeded',
      300_000,
    );
    expect(site.askedAt.length).toBeGreaterThanOrEqual(PAGES);
    const gaps = site.askedAt.slice(1).map((at, page) => at - (site.askedAt[page] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(LEAST_MS - site.lateMs());
  } finally {
    await system.stop();
    site.close();
    await database.close();
  }
});
