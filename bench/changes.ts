import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ParserSchema } from '@gleaner/contracts';
import { createExternalDatabases, openSinkWriter, writeSettledRows } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import type { Client } from '../test/system/start-system.ts';
import { awaitBatch, startBenchWorld, uploadBatch, type BenchWorld } from './engine/bench-world.ts';
import { startTarget } from './engine/child.ts';
import { SCHEMA } from './engine/page.ts';
import { closedLoop } from './load/closed-loop.ts';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

/** Ratios of one run. Writers: what a held reader costs, against what it costs a table without history. */
const BARS = { unchanged: 1.05, page: 1.5, writers: 0.95 };
const ROUNDS = 5;
/** Changes that one statement adds to a long feed. */
const PIECE = 500_000;
/** What a list has for each of its rows. */
const ROW_BYTES = 200;
const LIST: ParserSchema = {
  fields: { items: { css: '.review', take: 'all', fields: { by: '.by', text: '.text' } } },
};
/** What a page of the batches has; a small one, so that its row is much of its cost. */
const PAGE_BYTES = 10_000;
const PAGE = 1_000;
const READS = 20;
const WRITERS = 4;
const COLUMNS = ['sku', 'title', 'price'].map((name) => ({
  name,
  type: 'text',
  nullable: name !== 'sku',
  key: name === 'sku',
}));

/** Writes rows with this price, as a worker does. */
type Write = (first: number, count: number, price: number) => Promise<void>;

/** The medians of both, and their ratio. */
function compare(without: readonly number[], beside: readonly number[]) {
  const [one, other] = [median(without), median(beside)];
  return { without: rounded(one, 1), with: rounded(other, 1), ratio: rounded(other / one) };
}

async function openTable(
  db: Database,
  accountId: string,
  database: string,
  history: boolean,
): Promise<Write> {
  const resolveEgress = () => Promise.reject(new Error('no other server'));
  const deps = { db, external: createExternalDatabases({ secretKey: undefined, resolveEgress }) };
  const sink = {
    mode: 'database',
    database,
    table: history ? 'race' : 'plain_race',
    contract: 'evolve',
    nulls: 'keep',
    history,
  } as const;
  const writer = await openSinkWriter(deps, { accountId, runId: 'job_1', columns: COLUMNS, sink });
  return async (first, count, price) => {
    await writer.prepare();
    const rows = Array.from({ length: count }, (_, index) => {
      const sku = `sku-${String(first + index).padStart(8, '0')}`;
      const data = { sku, title: `Kettle ${sku}, blue`, price: String(price) };
      const made = writer.toRows({ url: 'http://shop.example/', fetchedAt: new Date().toISOString(), data });
      if ('error' in made) throw new Error(made.error.detail);
      return made.rows;
    });
    await writeSettledRows(db.sql, writer.settledRows(rows.flat()));
  };
}

interface Batches {
  pages: number;
  /** Rows of a page; 0: each page is a row of twelve values. */
  rows: number;
  rounds: number;
}

/** CPU of worker and Postgres for a page of a batch whose rows did not change, in microseconds; both tables by turns. */
async function measureBatches(world: BenchWorld, client: Client, database: string, batches: Batches) {
  const { pages, rows, rounds } = batches;
  const list = rows > 0 && { rows: 'items', key: ['_url', 'by'] };
  const target = await startTarget(rows > 0 ? rows * ROW_BYTES : PAGE_BYTES);
  const parser = await client.call('POST', '/v1/parsers', { name: 'bench', schema: list ? LIST : SCHEMA });
  const { id } = parser.json as { id: string };
  const urls = Array.from({ length: pages }, (_, index) => `${target.origin}/p/${index}`);
  const costs = { plain: [] as number[], kept: [] as number[] };
  try {
    for (let round = 0; round <= rounds; round += 1)
      for (const table of round % 2 === 0 ? (['plain', 'kept'] as const) : (['kept', 'plain'] as const)) {
        const sink = { mode: 'database', database, table, history: table === 'kept', ...list };
        const before = world.cpu();
        const batch = await uploadBatch(client, id, urls, { sink: JSON.stringify(sink) });
        const { counts } = await awaitBatch(client, batch.id, 250);
        const after = world.cpu();
        if (counts.succeeded !== pages) throw new Error(JSON.stringify(counts));
        const ms = after.worker + after.postgres - before.worker - before.postgres;
        if (round > 0) costs[table].push((ms * 1_000) / pages);
      }
  } finally {
    target.stop();
  }
  return compare(costs.plain, costs.kept);
}

/** Adds so many changes to the feed of the table `race`, 1,000 a commit, of transactions that never were. */
async function lengthen({ sql }: Database, schema: string, changes: number): Promise<void> {
  for (let left = changes; left > 0; left -= PIECE) await addChanges(sql, schema, Math.min(left, PIECE));
}

async function addChanges(sql: Database['sql'], schema: string, changes: number): Promise<void> {
  const [feeds, commits, all] = ['feeds', 'commits', 'changes'].map((name) => `"${schema}"._gleaner_${name}`);
  await sql.unsafe(`WITH f AS (
    SELECT c.feed, max(c.position) AS position FROM ${commits} c JOIN ${feeds} d USING (feed) WHERE d.table_name = 'race' GROUP BY 1
  ), made AS (
    INSERT INTO ${all} (tx, feed, kind, key, at, run_id, before, after)
    SELECT -(f.position + 1 + i / ${PAGE}), f.feed, 'changed', jsonb_build_object('sku', 'sku-' || i), now(), 'job_1', '{"price": "1"}', '{"price": "2"}'
    FROM f, generate_series(0, ${changes - 1}) i RETURNING tx, no
  ) INSERT INTO ${commits} (feed, position, tx, first, last, size)
    SELECT f.feed, -m.tx, m.tx, min(m.no), max(m.no), count(*) FROM f, made m GROUP BY f.feed, m.tx`);
  await sql.unsafe(`VACUUM ANALYZE ${all}, ${commits}`);
}

type Read = (query: string) => Promise<{ cursor: string; changes: unknown[] }>;

function openReader(client: Client, database: string): Read {
  return async (query) => {
    const path = `/v1/databases/${database}/tables/race/changes?${query}`;
    const { status, json, text } = await client.call('GET', path);
    if (status !== 200) throw new Error(text);
    return json as Awaited<ReturnType<Read>>;
  };
}

/** What a page of 1,000 changes costs, and how many buffers it reads, anywhere in a long feed. */
async function measurePages(db: Database, schema: string, read: Read, changes: number) {
  const half = Math.round(changes / 2 / PAGE) * PAGE;
  const cursors: [place: string, after: string][] = [];
  const parts = Object.entries({ begin: half, middle: half - PAGE, end: PAGE });
  for (const [place, more] of parts) {
    cursors.push([place, (await read('after=now')).cursor]);
    await lengthen(db, schema, more);
  }
  const buffers = async (): Promise<number> => {
    // Sessions report what they read once they have been idle for 10 seconds.
    await delay(11_000);
    const [row] = await db.sql<{ blocks: number }[]>`
      SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 AS blocks
      FROM pg_statio_user_tables WHERE schemaname = ${schema} AND relname LIKE '\\_gleaner%'`;
    return row?.blocks ?? 0;
  };
  const lines = [];
  for (const [place, after] of cursors) {
    const before = await buffers();
    const times: number[] = [];
    for (let round = 0; round < READS; round += 1) {
      const from = performance.now();
      const page = await read(`limit=${PAGE}&after=${encodeURIComponent(after)}`);
      if (page.changes.length !== PAGE) throw new Error(`no page at the ${place}`);
      times.push(performance.now() - from);
    }
    const blocks = ((await buffers()) - before) / READS;
    lines.push({ place, ms: rounded(median(times), 1), buffers: Math.round(blocks) });
  }
  return lines;
}

/**
 * Writes a second, each of 50 changes, without and with a reader that holds its snapshot and polls; by turns. Postgres may not
 * remove versions of rows that such a reader sees, so a table without history is slower beside it too.
 */
async function measureWriters(
  { sql }: Database,
  schema: string,
  writes: { plain: Write; kept: Write },
  read: Read,
  withinMs: number,
) {
  const rates = {
    plain: { alone: [] as number[], held: [] as number[] },
    kept: { alone: [] as number[], held: [] as number[] },
  };
  let price = 1;
  const writeFor = async (table: 'plain' | 'kept'): Promise<number> => {
    const { perSecond, failures } = await closedLoop({ clients: WRITERS, withinMs }, (index) =>
      writes[table]((index % WRITERS) * 1_000, 50, (price += 1)),
    );
    if (failures > 0) throw new Error(`${failures} writes failed`);
    return perSecond;
  };
  const hold = async <T>(work: () => Promise<T>): Promise<T> => {
    let isOver = false;
    const held = sql.begin('isolation level repeatable read', async (tx) => {
      while (!isOver) {
        await tx.unsafe(`SELECT max(position) FROM "${schema}"._gleaner_commits`);
        await read('after=now');
        await delay(250);
      }
    });
    return work().finally(async () => {
      isOver = true;
      await held;
    });
  };
  for (const table of ['plain', 'kept'] as const) await writeFor(table);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const table of ['plain', 'kept'] as const) {
      rates[table].alone.push(await writeFor(table));
      rates[table].held.push(await hold(() => writeFor(table)));
    }
  const plain = compare(rates.plain.alone, rates.plain.held);
  const kept = compare(rates.kept.alone, rates.kept.held);
  return [
    { table: 'plain', ...plain },
    { table: 'kept', ...kept },
  ];
}

/** What the history of tables costs its writers, and what reading a long feed costs, as ratios of one run. */
export async function run(args: string[]): Promise<void> {
  const option = (value: string) => ({ type: 'string', default: value }) as const;
  const options = {
    pages: option('5000'),
    rows: option('0'),
    rounds: option(String(ROUNDS)),
    changes: option('1000000'),
    seconds: option('10'),
  };
  const { values } = parseArgs({ args, options });
  const world = await startBenchWorld('postgres');
  const db = createDatabase(world.databaseUrl, { max: WRITERS + 2 });
  try {
    const client = await world.system.client({ name: 'bench', credits: 100_000_000, concurrency: 64 });
    const { json } = await client.call('POST', '/v1/databases', { name: 'bench', kind: 'managed' });
    const { id } = json as { id: string };
    const unchanged = await measureBatches(world, client, id, {
      pages: Number(values.pages),
      rows: Number(values.rows),
      rounds: Number(values.rounds),
    });
    printTable([unchanged]);
    const writes = {
      plain: await openTable(db, client.accountId, id, false),
      kept: await openTable(db, client.accountId, id, true),
    };
    await writes.kept(0, 1, 0);
    const read = openReader(client, id);
    const pages = await measurePages(db, id, read, Number(values.changes));
    printTable(pages);
    const tables = await measureWriters(db, id, writes, read, Number(values.seconds) * 1_000);
    printTable(tables);
    const [one, other] = tables.map(({ ratio }) => ratio);
    const writers = rounded((other ?? 0) / (one ?? 1));
    const costs = pages.map(({ ms }) => ms);
    const page = rounded(Math.max(...costs) / Math.min(...costs));
    printResult({ ...values, bars: BARS, unchanged: unchanged.ratio, page, writers });
  } finally {
    await db.close();
    await world.stop();
  }
}
