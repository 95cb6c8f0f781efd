import { ENGINE } from '@gleaner/db';
import { batchQueue, ENGINES, type QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { readDatabaseTime } from '../../platform/process/read-database-time.ts';
import { deliverAdmitted, listFaults, type AdmittedRow, type SweepRow } from '../deliveries/admitted.ts';
import { callWorker } from './call-worker.ts';
import { numberWaiting } from './number-waiting.ts';

/** A task fails after this many workers died while they ran it. */
export const MAX_DEATHS = 3;

/** A task fails after it was begun so often without an end that Postgres accepted. */
export const MAX_STARTS = 12;

/** A round looks this far back for retries that are due; every so often a round looks at all. */
const WITHIN_SECONDS = 60;
const ALL_EVERY_MS = 30_000;
const LOST_EVERY_MS = 2_000;
/** Longer than a transaction that wakes a turn may last. */
const FLOOR_AGE_MS = 6_000;

type SweepServices = Pick<Services, 'db' | 'queue' | 'log'>;

async function listLostAccounts({ db }: Pick<Services, 'db'>, before: string): Promise<string[]> {
  const rows = await db.sql<{ id: string }[]>`
    SELECT id FROM ${db.sql(ENGINE)}.accounts_with_lost_chunks(${before}::text::timestamptz) id`;
  return rows.map(({ id }) => id);
}

/** The starts that rounds published, by queue. */
type Starts = Map<QueueName, { start: number; at: number }[]>;

/**
 * Wakes the turns of accounts with retries that are due, calls a worker to them, and publishes what takers need to know.
 * @param within seconds since the retries became due, at most
 */
async function runTurns({ db, queue }: SweepServices, within: number, starts: Starts): Promise<void> {
  const now = performance.now();
  for (const name of ENGINES.map(batchQueue)) {
    const known = starts.get(name) ?? [];
    const old = known.filter(({ at }) => now - at > FLOOR_AGE_MS).at(-1);
    const [row] = await db.sql<{ start: number; has_due: boolean }[]>`
      SELECT * FROM ${db.sql(ENGINE)}.run_turns(${name}, ${within}::float8 * interval '1 second', ${old?.start ?? 0})`;
    if (row?.has_due === true) await callWorker(queue, name);
    const kept = old === undefined ? known : known.slice(known.indexOf(old));
    starts.set(name, [...kept, { start: row?.start ?? 0, at: now }]);
  }
}

/**
 * Wakes accounts that have work to take and whose turn does not say so. Each has a separate transaction.
 * @returns the errors of single accounts
 */
export async function wakeLostTurns({ db, queue, log }: SweepServices): Promise<string[]> {
  const faults: string[] = [];
  const lost = await db.sql<{ account: string; queue: string }[]>`
    SELECT account_id AS account, queue FROM ${db.sql(ENGINE)}.lost_turns()`;
  const woken: AdmittedRow[] = [];
  await forEachAlone(lost, async (turn) => {
    try {
      woken.push(
        ...(await db.sql<
          AdmittedRow[]
        >`SELECT * FROM ${db.sql(ENGINE)}.wake_lost(${turn.account}, ${turn.queue})`),
      );
    } catch (error) {
      faults.push(`the turn of account ${turn.account}: ${String(error)}`);
    }
  });
  // One message for each queue, whatever the number of accounts.
  const turns = new Map(woken.flatMap((row) => (row.kind === 'turn' ? [[row.queue, row] as const] : [])));
  await deliverAdmitted(queue, log, [...woken.filter(({ kind }) => kind !== 'turn'), ...turns.values()]);
  return faults;
}

interface Round {
  /** How far back the round looks for retries that are due, in seconds. */
  within: number;
  /** Whether it looks for turns that nobody woke. */
  findsLost: boolean;
  starts: Starts;
}

const ALL_SECONDS = 1e9;

/**
 * One round of a sweeper: chunks of dead workers run again, and turns are published and woken. Each account has a separate
 * transaction, so that no account waits for another.
 * A step that fails does not stop the others; the round logs all errors once, and the next round tries again.
 * @param before Postgres' time at the previous round; leases that expired since then are left for the next round
 * @returns Postgres' time, for the next round
 * @throws when Postgres is unavailable
 */
export async function sweepChunks(
  services: SweepServices,
  before: string | undefined,
  round: Round = { within: ALL_SECONDS, findsLost: true, starts: new Map() },
): Promise<string> {
  const { db, queue, log } = services;
  const now = await readDatabaseTime(services.db);
  const faults: string[] = [];
  const attempt = async (step: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      faults.push(`${step}: ${String(error)}`);
    }
  };
  if (before !== undefined) {
    await attempt('taking chunks back', async () =>
      forEachAlone(await listLostAccounts(services, before), async (account) => {
        const rows = await db.sql<SweepRow[]>`
          SELECT fault, (delivery).*
          FROM ${db.sql(ENGINE)}.take_back_chunks(${account}, ${MAX_DEATHS}, ${MAX_STARTS}, ${before}::text::timestamptz)`;
        faults.push(...listFaults(rows));
        await deliverAdmitted(queue, log, rows);
      }),
    );
  }
  await attempt('running turns', () => runTurns(services, round.within, round.starts));
  if (round.findsLost) {
    await attempt('waking turns', async () => {
      faults.push(...(await wakeLostTurns(services)));
    });
  }
  await attempt('numbering children', async () => {
    faults.push(...(await numberWaiting(services)));
  });
  if (faults.length > 0) {
    log.warn(
      { count: faults.length, faults: faults.slice(0, 5) },
      'parts of a sweep failed; the next round tries again',
    );
  }
  return now;
}

/** Returns a function that sweeps once per call. */
export function createChunkSweeper(services: SweepServices): () => Promise<void> {
  let before: string | undefined;
  let allAt = -Infinity;
  let lostAt = -Infinity;
  const starts: Starts = new Map();
  return async () => {
    const at = performance.now();
    const isAll = at - allAt >= ALL_EVERY_MS;
    const findsLost = at - lostAt >= LOST_EVERY_MS;
    const within = isAll ? ALL_SECONDS : WITHIN_SECONDS;
    before = await sweepChunks(services, before, { within, findsLost, starts });
    if (isAll) allAt = at;
    if (findsLost) lostAt = at;
  };
}
