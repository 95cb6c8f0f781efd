import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import type { Client } from '../test/system/start-system.ts';
import { crawlShopInOrder, serveShop, SHOP, SHOP_CRAWL } from '../test/crawl/made-site.ts';
import {
  awaitBatch,
  awaitWorkflowRun,
  durationMs,
  startBenchWorld,
  uploadBatch,
  type BatchRecord,
  type BenchWorld,
} from './engine/bench-world.ts';
import { memoryOf } from './engine/memory-of.ts';
import { serveTree } from './engine/tree-site.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

const ALL = 100_000;
/** The records say how long it took. */
const POLL_MS = 250;
interface Listed {
  url: string;
  outcome: string;
}

function mibOf(pid: number | undefined): number {
  return pid === undefined ? NaN : rounded(memoryOf(pid) / 1_048_576, 0);
}

async function crawlBare(start: string): Promise<{ wallMs: number; cpuMs: number; pages: number }> {
  const file = join(import.meta.dirname, 'engine/bare-crawl.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [file, start]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof crawlBare>>;
}

/** Bytes in the frontier, with its indexes, for each address there. */
async function frontierBytes({ db }: BenchWorld): Promise<number> {
  const [size] = await db.sql<{ bytes: number }[]>`
    SELECT (SELECT sum(pg_total_relation_size(i.inhrelid)) FROM pg_inherits i WHERE i.inhparent = 'gleaner.frontier'::regclass)
      / (SELECT count(*) FROM gleaner.frontier) AS bytes`;
  return Math.round(Number(size?.bytes));
}

/**
 * A crawl of a tree of pages, each of which names ten new ones and ten that are known, against a bare loop: time, and the
 * memory of the processes, in fifths of the crawl.
 */
async function crawlTree(world: BenchWorld, client: Client, pages: number, bytes: number): Promise<void> {
  const site = await serveTree(pages, bytes);
  const { api, scheduler, workers } = world.system;
  try {
    const start = `${site.origin}/tree/0`;
    const bare = await crawlBare(start);
    const { json, text } = await client.call('POST', '/v1/crawls', {
      start: [start],
      routes: [],
      limits: { pages },
    });
    const path = `/v1/workflow-runs/${(json as { id?: string }).id ?? text}`;
    const rows: Record<string, number | string>[] = [];
    const before = world.cpu();
    for (let isOver = false; !isOver;) {
      await delay(250);
      const asked = performance.now();
      const run = (await client.call('GET', path)).json as BatchRecord;
      const getMs = rounded(performance.now() - asked, 0);
      const { succeeded } = run.counts;
      isOver = run.finished_at !== null;
      if (!isOver && succeeded < ((rows.length + 1) * pages) / 5) continue;
      const cpu = world.cpu();
      rows.push({
        pages: succeeded,
        worker: mibOf(workers[0]?.pid()),
        api: mibOf(api.pid()),
        scheduler: mibOf(scheduler.pid()),
        'GET ms': getMs,
        'worker ms a page': rounded((cpu.worker - before.worker) / succeeded, 2),
        'Postgres ms a page': rounded((cpu.postgres - before.postgres) / succeeded, 2),
        ...(isOver
          ? {
              'pages/s': rounded((succeeded * 1_000) / durationMs(run), 0),
              'times bare': rounded(durationMs(run) / bare.wallMs, 2),
            }
          : {}),
      });
    }
    printTable(rows);
    printResult({ bench: 'crawl', site: 'tree', bare, rows, bytes: await frontierBytes(world) });
  } finally {
    site.close();
  }
}

/**
 * A crawl of a made shop, which tries failing pages again as crawls of users do, against a bare loop without order or tries and against a batch of the same pages: time, CPU, recall, the same
 * set when a limit cuts it, and the bytes of a URL in the frontier. The site is in this process; all pay it.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      backend: { type: 'string', default: 'redis' },
      size: { type: 'string', default: '10000' },
      links: { type: 'string', default: '6' },
      rounds: { type: 'string', default: '3' },
      /** Pages of a tree, in place of the shop. */
      tree: { type: 'string' },
    },
  });
  const shape = { ...SHOP, size: Number(values.size), links: Number(values.links) };
  const site = await serveShop(shape, () => 0);
  const world = await startBenchWorld(values.backend === 'postgres' ? 'postgres' : 'redis');
  const rows: Record<string, number | string>[] = [];
  try {
    const client = await world.system.client({
      credits: 100_000_000,
      concurrency: 64,
      pendingLimit: 5_000_000,
    });
    const cpu = (): number => Object.values(world.cpu()).reduce((sum, ms) => sum + ms, 0);
    const crawl = async (pages: number): Promise<BatchRecord> => {
      const started = await client.call('POST', '/v1/crawls', {
        start: [`${site.origin}/`],
        crawl: SHOP_CRAWL,
        routes: [],
        limits: { pages },
      });
      if (started.status !== 202) throw new Error(started.text);
      return awaitWorkflowRun(client, (started.json as { id: string }).id, POLL_MS);
    };
    const pagesOf = async ({ id }: BatchRecord): Promise<string[]> => {
      const { text } = await client.call('GET', `/v1/workflow-runs/${id}/urls/export?format=ndjson`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Listed)
        .filter(({ outcome }) => outcome === 'fetched' || outcome === 'failed')
        .map(({ url }) => url);
    };
    const parser = await client.call('POST', '/v1/parsers', {
      name: 'p',
      schema: { fields: { title: 'h1' } },
    });
    const { id: parserId } = parser.json as { id: string };
    const expected = crawlShopInOrder(shape, site.origin, ALL).map(({ url }) => url);
    await crawl(200);
    if (values.tree !== undefined) {
      await crawlTree(world, client, Number(values.tree), shape.size);
      return;
    }
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const before = cpu();
      const found = await crawl(ALL);
      const crawlCpu = cpu() - before;
      const pages = await pagesOf(found);
      const loop = await crawlBare(`${site.origin}/`);
      const batchBefore = cpu();
      const sent = await uploadBatch(client, parserId, expected);
      const batch = await awaitBatch(client, sent.id, POLL_MS);
      const batchCpu = cpu() - batchBefore;
      const cut = await pagesOf(await crawl(500));
      rows.push({
        pages: pages.length,
        recall: rounded(pages.filter((url) => expected.includes(url)).length / expected.length, 3),
        'crawl ms': durationMs(found),
        'bare ms': rounded(loop.wallMs, 0),
        'times bare': rounded(durationMs(found) / loop.wallMs, 2),
        'pages/s': rounded((pages.length * 1_000) / durationMs(found), 0),
        'times batch, ms': rounded(durationMs(found) / durationMs(batch), 2),
        'times batch, CPU': rounded(crawlCpu / batchCpu, 2),
        'same 500': String(
          cut.join() ===
            crawlShopInOrder(shape, site.origin, 500)
              .map(({ url }) => url)
              .join(),
        ),
      });
    }
    const bytes = await frontierBytes(world);
    printTable(rows);
    printResult({ bench: 'crawl', backend: values.backend, rows, bytes });
    console.log(`${bytes} bytes a URL of the frontier`);
  } finally {
    await world.stop();
    await site.close();
  }
}
