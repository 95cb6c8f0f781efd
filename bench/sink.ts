import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import {
  createAccount,
  createExternalDatabases,
  createId,
  openSinkWriter,
  writeSettledRows,
  type SinkColumn,
} from '@gleaner/core';
import { createDatabase, migrate, type Database } from '@gleaner/db';
import postgres from 'postgres';
import { startPostgres } from '@gleaner/embedded-postgres';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

const COLUMNS: readonly SinkColumn[] = (
  [
    ['sku', 'text'],
    ['title', 'text'],
    ['brand', 'text'],
    ['description', 'text'],
    ['image', 'text'],
    ['price', 'double precision'],
    ['rating', 'double precision'],
    ['reviews', 'bigint'],
    ['in_stock', 'boolean'],
    ['since', 'date'],
    ['seen_at', 'timestamptz'],
    ['tags', 'jsonb'],
  ] as const
).map(([name, type]) => ({ name, type, nullable: true, key: false }));

const NAMES = ['_url', '_fetched_at', '_run_id', ...COLUMNS.map(({ name }) => name)];

interface Page {
  url: string;
  fetchedAt: string;
  data: Record<string, unknown>;
}

/** Rows of about 600 bytes, in an order that is not the key's. */
function makePages(count: number, pass: number): Page[] {
  return Array.from({ length: count }, (_, index) => {
    const n = (index * 7919) % count;
    return {
      url: `https://shop.example/products/${n}/some-readable-name-of-the-product`,
      fetchedAt: new Date(Date.UTC(2026, 0, 1 + pass)).toISOString(),
      data: {
        sku: `SKU-${n}`,
        title: `Product number ${n} with a title of usual length`,
        brand: `Brand ${n % 50}`,
        description: `A description with "quotes", commas and a back\\slash. `.repeat(5),
        image: `https://cdn.example/images/${n}.jpg`,
        price: n / 100 + pass,
        rating: (n % 50) / 10,
        reviews: n % 1000,
        in_stock: n % 3 === 0,
        since: '2024-02-29',
        seen_at: '2026-01-01T10:00:00.000Z',
        tags: [`tag${n % 7}`, `tag${n % 11}`],
      },
    };
  });
}

function copyCell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll('\\', '\\\\');
}

/** COPY's text format, made before the clock starts: the baseline is bare. */
function copyText(pages: readonly Page[]): string {
  return pages
    .map(({ url, fetchedAt, data }) =>
      [url, fetchedAt, 'job_1', ...COLUMNS.map(({ name }) => data[name])].map(copyCell).join('\t'),
    )
    .join('\n');
}

function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

interface Place {
  db: Database;
  copy: postgres.Sql;
  accountId: string;
  database: string;
}

function openWriter({ db, accountId, database }: Place, table: string) {
  return openSinkWriter(
    {
      db,
      external: createExternalDatabases({
        secretKey: undefined,
        resolveEgress: () => Promise.reject(new Error('no external database here')),
      }),
    },
    {
      accountId,
      runId: 'job_1',
      sink: { mode: 'database', database, table, contract: 'evolve', nulls: 'keep' },
      columns: COLUMNS,
    },
  );
}

/** toRows and one statement per batch: what a worker does with a chunk's results. */
async function runWriter(
  place: Place,
  table: string,
  pages: readonly Page[],
  batch: number,
): Promise<number> {
  const writer = await openWriter(place, table);
  await writer.prepare();
  return timed(async () => {
    for (const part of slices(pages, batch)) {
      const rows = part.flatMap(({ url, data }) => {
        const made = writer.toRows({ url, fetchedAt: performance.now(), data });
        if ('error' in made) throw new Error(made.error.detail);
        return made.rows;
      });
      await writeSettledRows(place.db.sql, writer.settledRows(rows));
    }
  });
}

/** COPY into a temporary table, then one INSERT … ON CONFLICT, in one transaction per batch. */
async function runCopy(place: Place, table: string, texts: readonly string[]): Promise<number> {
  const { copy: sql, database } = place;
  const target = `"${database}"."${table}"`;
  const names = NAMES.join(', ');
  const changes = NAMES.filter((name) => name !== '_url').map((name) => `${name} = excluded.${name}`);
  await sql.unsafe(`CREATE TEMP TABLE IF NOT EXISTS staging_${table} (LIKE ${target}) ON COMMIT DELETE ROWS`);
  return timed(async () => {
    for (const text of texts) {
      await sql.unsafe('BEGIN');
      await pipeline([text], await sql.unsafe(`COPY staging_${table} (${names}) FROM STDIN`).writable());
      await sql.unsafe(
        `INSERT INTO ${target} (${names}) SELECT ${names} FROM staging_${table}
         ON CONFLICT (_url) DO UPDATE SET ${changes.join(', ')}; COMMIT`,
      );
    }
  });
}

type CopySettings = postgres.Options<Record<string, postgres.PostgresType>> & {
  socket: () => Promise<Socket>;
};

/** One connection that sends at once: COPY's small messages would otherwise wait 40 ms for each other. */
function openCopyClient(url: string): postgres.Sql {
  const { hostname, port } = new URL(url);
  const settings: CopySettings = {
    max: 1,
    onnotice: () => undefined,
    socket: async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    },
  };
  return postgres(url, settings);
}

interface Sample {
  batch: number;
  phase: 'insert' | 'update';
  writer: number;
  copy: number;
}

async function runRound(place: Place, round: number, count: number, batch: number): Promise<Sample[]> {
  const writerTable = `writer_${batch}_${round}`;
  const copyTable = `copy_${batch}_${round}`;
  await (await openWriter(place, writerTable)).prepare();
  await (await openWriter(place, copyTable)).prepare();
  const samples: Sample[] = [];
  for (const [pass, phase] of (['insert', 'update'] as const).entries()) {
    const pages = makePages(count, pass);
    const texts = slices(pages, batch).map(copyText);
    const contestants = [
      async () => ({ writer: await runWriter(place, writerTable, pages, batch) }),
      async () => ({ copy: await runCopy(place, copyTable, texts) }),
    ];
    if (round % 2 === 1) contestants.reverse();
    let times = { writer: 0, copy: 0 };
    for (const contest of contestants) {
      times = { ...times, ...(await contest()) };
      await place.db.sql`CHECKPOINT`;
    }
    samples.push({ batch, phase, ...times });
  }
  await place.db.sql.unsafe(
    `DROP TABLE "${place.database}".${writerTable}, "${place.database}".${copyTable}`,
  );
  return samples;
}

/**
 * Rows per second upserted through the sink writer (conversion, checks and null protection included) against bare
 * COPY and merge of text made beforehand, in the same Postgres, turn by turn.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const [count, rounds] = [Number(values.rows), Number(values.rounds)];
  const dataDir = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(dataDir, 0o711);
  const server = await startPostgres({ dataDir, durable: true, log: () => undefined });
  try {
    await migrate(server.url);
    const db = createDatabase(server.url);
    const { account } = await createAccount(db, { name: 'bench', credits: 0 });
    const database = createId('database');
    await db.sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${database}, ${account.id}, 'bench', 'managed')`;
    await db.sql.unsafe(`CREATE SCHEMA "${database}"`);
    const copy = openCopyClient(server.url);
    const place = { db, copy, accountId: account.id, database };
    await runRound(place, 0, Math.min(count, 2000), 500);
    const samples: Sample[] = [];
    for (let round = 1; round <= rounds; round += 1)
      for (const batch of [100, 1000]) samples.push(...(await runRound(place, round, count, batch)));
    await copy.end();
    await db.close();
    report(samples, count, rounds);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function report(samples: readonly Sample[], count: number, rounds: number): void {
  const results = [100, 1000].flatMap((batch) =>
    (['insert', 'update'] as const).map((phase) => {
      const own = samples.filter((sample) => sample.batch === batch && sample.phase === phase);
      const perSecond = (times: number[]) => Math.round((count / median(times)) * 1000);
      return {
        batch,
        phase,
        writer_rows_per_s: perSecond(own.map((sample) => sample.writer)),
        copy_rows_per_s: perSecond(own.map((sample) => sample.copy)),
        ratio: rounded(median(own.map((sample) => sample.copy / sample.writer)), 2),
      };
    }),
  );
  printTable(results);
  printResult({
    bench: 'sink',
    rows: count,
    rounds,
    results,
    ratio: Math.min(...results.map((result) => result.ratio)),
    goal: 0.5,
  });
}
