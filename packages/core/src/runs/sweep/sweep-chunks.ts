import { ENGINE } from '@gleaner/db';
import { batchQueue, ENGINES, type QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { readDatabaseTime } from '../../platform/process/read-database-time.ts';
import { deliverAdmitted, deliverSwept, type AdmittedRow, type SweepRow } from '../deliveries/admitted.ts';
import { callWorker } from './call-worker.ts';
import { createLookBack } from './look-back.ts';
import { numberWaiting } from './number-waiting.ts';

/** A task fails after this many workers died while they ran it. */
const MAX_DEATHS = 3;

/** A task fails after this many starts without an end that Postgres accepted. */
export const MAX_STARTS = 12;

/** Longer than a transaction that wakes a turn may last. */
const FLOOR_AGE_MS = 6_000;

type SweepServices = Pick<Services, 'db' | 'queue' | 'log'>;

/**
 * Has chunks of dead workers run again, each account's in a transaction of its own.
 * @param before Postgres' time; leases that expired since then are left for the next round
 */
export async function takeBackChunks(services: SweepServices, before: string): Promise<void> {
  const { sql } = services.db;
  const lost = await sql<{ id: string }[]>`
    SELECT id FROM ${sql(ENGINE)}.accounts_with_lost_chunks(${before}::text::timestamptz) id`;
  const swept: SweepRow[] = [];
  await forEachAlone(lost, async ({ id }) => {
    const rows = await sql<SweepRow[]>`
      SELECT fault, (delivery).*
      FROM ${sql(ENGINE)}.take_back_chunks(${id}, ${MAX_DEATHS}, ${MAX_STARTS}, ${before}::text::timestamptz)`;
    swept.push(...rows);
  }).finally(() => deliverSwept(services, swept));
}

/** Returns a function that takes back what expired before its previous call: workers may be late after a standstill. */
function createLostChunkSweeper(services: SweepServices): () => Promise<void> {
  let before: string | undefined;
  return async () => {
    const now = await readDatabaseTime(services.db.orm);
    const since = before;
    before = now;
    if (since !== undefined) await takeBackChunks(services, since);
  };
}

/**
 * Returns a function that wakes the turns of accounts with retries that are due, calls a worker to them, and publishes what
 * takers need to know.
 */
function createTurnRounds({ db, queue }: SweepServices): () => Promise<void> {
  const lookBack = createLookBack();
  /** The starts that rounds published, by queue. */
  const starts = new Map<QueueName, { start: number; at: number }[]>();
  return async () => {
    const now = performance.now();
    const within = lookBack();
    for (const name of ENGINES.map(batchQueue)) {
      const known = starts.get(name) ?? [];
      const old = known.filter(({ at }) => now - at > FLOOR_AGE_MS).at(-1);
      const [row] = await db.sql<{ start: number; has_due: boolean }[]>`
        SELECT * FROM ${db.sql(ENGINE)}.run_turns(${name}, ${within}::float8 * interval '1 second', ${old?.start ?? 0})`;
      if (row?.has_due === true) await callWorker(queue, name);
      const kept = old === undefined ? known : known.slice(known.indexOf(old));
      starts.set(name, [...kept, { start: row?.start ?? 0, at: now }]);
    }
  };
}

/** Wakes accounts that have work to take and whose turn does not say so. Each has a separate transaction. */
export async function wakeLostTurns({ db, queue, log }: SweepServices): Promise<void> {
  const lost = await db.sql<{ account: string; queue: string }[]>`
    SELECT account_id AS account, queue FROM ${db.sql(ENGINE)}.lost_turns()`;
  const woken: AdmittedRow[] = [];
  await forEachAlone(lost, async (turn) => {
    const rows = await db.sql<AdmittedRow[]>`
      SELECT * FROM ${db.sql(ENGINE)}.wake_lost(${turn.account}, ${turn.queue})`;
    woken.push(...rows);
  }).finally(() => deliverAdmitted(queue, log, woken));
}

/** The leader's duties for chunks, with the pause between their rounds. */
export function chunkDuties(services: SweepServices) {
  return [
    { name: 'lost chunks', everyMs: 500, run: createLostChunkSweeper(services) },
    { name: 'turns', everyMs: 500, run: createTurnRounds(services) },
    { name: 'lost turns', everyMs: 2_000, run: () => wakeLostTurns(services) },
    { name: 'waiting children', everyMs: 500, run: () => numberWaiting(services) },
  ];
}
