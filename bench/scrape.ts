import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { startPostgres } from '@gleaner/embedded-postgres';
import { startRedis } from '../test/processes/redis.ts';
import { startSystem } from '../test/system/start-system.ts';
import { closedLoop } from './load/closed-loop.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded, summarise, type Summary } from './load/statistics.ts';

/** About 10 KB. */
const PAGE = `<!doctype html><title>Shop</title><h1>Kettles</h1>${'<article class="card"><h2>Blue kettle</h2><p class="price">€ 12.50</p><p>Boils a litre of water in two minutes and whistles.</p></article>'.repeat(65)}`;
const SCHEMA = { fields: { title: 'h1', first: 'article h2', price: { css: '.price', type: 'number' } } };

async function startPages(): Promise<{ url: string; close: () => void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Measured {
  backend: string;
  bare: Summary;
  scrape: Summary;
  addedMedianMs: number;
  addedP99Ms: number;
}

async function measure(input: { databaseUrl: string; redisUrl?: string; count: number }): Promise<Measured> {
  const pages = await startPages();
  const system = await startSystem({
    databaseUrl: input.databaseUrl,
    redisUrl: input.redisUrl,
  });
  const agent = new Agent({ connections: 1 });
  try {
    const client = await system.client({ credits: 1_000_000 });
    const created = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
    const { id } = created.json as { id: string };
    const get = async (url: string, headers: Record<string, string> = {}): Promise<void> => {
      const response = await request(url, { dispatcher: agent, headers });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`);
    };
    const path = `${system.baseUrl}/v1/scrape/${id}?url=${encodeURIComponent(pages.url)}`;
    const headers = { 'x-api-key': client.apiKey };
    const options = { concurrency: 1, count: input.count, warmUp: 100 };
    // In turns, so that both meet the same machine.
    const bareTimes: number[] = [];
    const scrapeTimes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const part = { ...options, count: Math.ceil(input.count / 5), warmUp: round === 0 ? 100 : 5 };
      bareTimes.push(...(await closedLoop(part, () => get(pages.url))).timesMs);
      const scraped = await closedLoop(part, () => get(path, headers));
      if (scraped.failures > 0) throw new Error(`${scraped.failures} scrapes failed`);
      scrapeTimes.push(...scraped.timesMs);
    }
    const bare = summarise(bareTimes);
    const scrape = summarise(scrapeTimes);
    return {
      backend: input.redisUrl === undefined ? 'postgres' : 'redis',
      bare,
      scrape,
      addedMedianMs: rounded(scrape.median - bare.median),
      addedP99Ms: rounded(scrape.p99 - bare.p99),
    };
  } finally {
    await agent.close();
    await system.stop();
    pages.close();
  }
}

/** What API, queue and worker add to a fetch of the same page, one request at a time, on both backends. */
export async function run(args: string[]): Promise<void> {
  const count = Number(args[0] ?? 1_000);
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  const redis = await startRedis({ appendOnly: true });
  try {
    const results = [await measure({ databaseUrl: postgres.url, count })];
    if ('missing' in redis) process.stderr.write(`SKIPPED on Redis: ${redis.missing}\n`);
    else results.push(await measure({ databaseUrl: postgres.url, redisUrl: redis.url, count }));
    printTable(
      results.map(({ backend, bare, scrape, addedMedianMs, addedP99Ms }) => ({
        backend,
        'bare fetch median ms': bare.median,
        'scrape median ms': scrape.median,
        'added median ms': addedMedianMs,
        'bare p99 ms': bare.p99,
        'scrape p99 ms': scrape.p99,
        'added p99 ms': addedP99Ms,
      })),
    );
    const bars = { redis: { median: 10, p99: 30 }, postgres: { median: 15, p99: 50 } };
    printResult({
      bench: 'scrape',
      count,
      bars,
      results: Object.fromEntries(
        results.map((result) => [
          result.backend,
          { ...result, ratioMedian: rounded(result.scrape.median / result.bare.median, 1) },
        ]),
      ),
    });
  } finally {
    if (!('missing' in redis)) await redis.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
