import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { deliverAdmitted } from '@gleaner/core';
import { createBenchRun } from './engine/bench-run.ts';
import { madeAnswer, openEngineWorld, type EngineWorld } from './engine/engine-world.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

/** Pages only take time, so that slots are what is shared. */
interface Mix {
  name: string;
  /** Slots of each worker. */
  capacities: readonly number[];
  /** Their concurrency. */
  accounts: readonly number[];
  pageMs: number;
  seconds: number;
  warmUpSeconds: number;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const PAGES = 5_000;

/** The max-min fair share of each account, in slots. */
function fairShares(limits: readonly number[], slots: number): number[] {
  let left = slots;
  let sharing = limits.length;
  const shares = limits.map(() => 0);
  for (const [place, limit] of [...limits.entries()].toSorted(([, a], [, b]) => a - b)) {
    const share = Math.min(limit, left / sharing);
    shares[place] = share;
    left -= share;
    sharing -= 1;
  }
  return shares;
}

interface Counters {
  transactions: number;
  walBytes: number;
  chunks: number;
}

async function readCounters({ db }: EngineWorld): Promise<Counters> {
  const [row] = await db.sql<Record<keyof Counters, string>[]>`
    SELECT (SELECT sum(xact_commit) FROM pg_stat_database WHERE datname = current_database())::text AS transactions,
      (pg_current_wal_lsn() - '0/0'::pg_lsn)::text AS "walBytes",
      (SELECT sum(next_chunk) FROM gleaner.runs)::text AS chunks`;
  return {
    transactions: Number(row?.transactions),
    walBytes: Number(row?.walBytes),
    chunks: Number(row?.chunks),
  };
}

/** Runs one batch of each account at once, and says what the accounts got and what a chunk cost. */
async function runMix(backend: string, mix: Mix, holdsSnapshot = false) {
  const world = await openEngineWorld(backend);
  const served = new Map<string, number>();
  let busyMs = 0;
  let from = Infinity;
  let until = Infinity;
  const page = async (url: string) => {
    const at = performance.now();
    await delay(mix.pageMs);
    const ms = Math.max(0, Math.min(performance.now(), until) - Math.max(at, from));
    const account = new URL(url).pathname.split('/')[1] ?? '';
    served.set(account, (served.get(account) ?? 0) + ms);
    busyMs += ms;
    return madeAnswer(url);
  };
  try {
    for (const [place, concurrency] of mix.accounts.entries()) {
      const accountId = await world.openAccount(concurrency);
      const { admitted } = await createBenchRun(world.db, {
        accountId,
        kind: 'batch',
        total: PAGES,
        inputs: Array.from({ length: PAGES }, (_, page) => `https://shop.example/${place}/${page}`),
      });
      await deliverAdmitted(world.queue, QUIET as never, admitted);
    }
    // What autovacuum does for a new database and for the inputs is not a cost of chunks.
    await world.db.sql`VACUUM ANALYZE`;
    // Only now, so that no account has been served before others.
    for (const capacity of mix.capacities) await world.startWorker(capacity, page);
    await delay(mix.warmUpSeconds * 1_000);
    const held = holdsSnapshot ? holdSnapshot(world) : undefined;
    from = performance.now();
    until = from + mix.seconds * 1_000;
    const [before, cpuBefore] = [await readCounters(world), world.cpu()];
    await delay(mix.seconds * 1_000);
    const [after, cpuAfter] = [await readCounters(world), world.cpu()];
    held?.release();
    const slots = mix.capacities.reduce((sum, capacity) => sum + capacity, 0);
    const fair = fairShares(mix.accounts, slots);
    const shares = fair.map(
      (share, place) => (served.get(String(place)) ?? 0) / (share * mix.seconds * 1_000),
    );
    const chunks = after.chunks - before.chunks;
    const cost = (part: 0 | 1 | 2): number => rounded((cpuAfter[part] - cpuBefore[part]) / chunks, 2);
    return {
      mix: `${mix.name}${holdsSnapshot ? ', snapshot held' : ''}`,
      backend,
      'busy %': rounded((busyMs / (slots * mix.seconds * 1_000)) * 100, 1),
      'first share': rounded(shares[0] ?? 0, 2),
      'least share': rounded(Math.min(...shares), 2),
      'most share': rounded(Math.max(...shares), 2),
      'without a page': mix.accounts.length - served.size,
      'chunks/s': rounded(chunks / mix.seconds, 1),
      'Postgres ms': cost(1),
      'Redis ms': cost(2),
      'Node ms': cost(0),
      transactions: rounded((after.transactions - before.transactions) / chunks, 2),
      'WAL KiB': rounded((after.walBytes - before.walBytes) / chunks / 1_024, 1),
    };
  } finally {
    await world.close();
  }
}

/** As a backup does: old versions of rows stay. */
function holdSnapshot({ db }: EngineWorld): { release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  void db.withSession(async (sql) => {
    await sql`BEGIN ISOLATION LEVEL REPEATABLE READ`;
    await sql`SELECT 1`;
    await promise;
  });
  return { release: resolve };
}

const COST: Mix = {
  name: '40 accounts, 32 slots, pages of 50 ms, about 15 a chunk',
  capacities: [16, 16],
  accounts: Array<number>(40).fill(8),
  pageMs: 50,
  seconds: 20,
  warmUpSeconds: 5,
};
const BIG: Mix = {
  name: 'one of 400 beside ten of 8, 32 slots, pages of 200 ms',
  capacities: [16, 16],
  accounts: [400, ...Array<number>(10).fill(8)],
  pageMs: 200,
  seconds: 40,
  warmUpSeconds: 5,
};
const FEW: Mix = {
  name: '80 accounts, 2 slots, pages of 2 s',
  capacities: [2],
  accounts: Array<number>(80).fill(8),
  pageMs: 2_000,
  seconds: 120,
  warmUpSeconds: 0,
};

/**
 * How evenly workers serve accounts, and what a chunk costs Postgres, Redis and a worker, without fetching. Bars: shares
 * within 0.85 to 1.15, no account without a page, slots 97 % busy; Postgres 1.1 ms a chunk with Redis and 1.6 ms without.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { backend: { type: 'string' }, only: { type: 'string' } } });
  const backends = values.backend === undefined ? ['redis', 'postgres'] : [values.backend];
  const mixes = { cost: COST, big: BIG, few: FEW };
  const results: Awaited<ReturnType<typeof runMix>>[] = [];
  for (const backend of backends) {
    for (const [name, mix] of Object.entries(mixes)) {
      if (values.only !== undefined && values.only !== name && values.only !== 'snapshot') continue;
      if (values.only !== 'snapshot' || name === 'cost') results.push(await runMix(backend, mix));
      if (name === 'cost' && (values.only === undefined || values.only === 'snapshot'))
        results.push(await runMix(backend, { ...mix, seconds: 60 }, true));
    }
  }
  printTable(results);
  printResult({ bench: 'turns', results });
}
