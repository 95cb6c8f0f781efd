import { randomUUID } from 'node:crypto';
import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, listFaults, type AdmittedRow } from '../deliveries/admitted.ts';

/** A task with which so many workers died is given up. */
export const MAX_DEATHS = 3;
/** Results of a run can be read for 24 hours after it was created; its number is older by as long as its upload took. */
const RETENTION = '25 hours';

type SweepServices = Pick<Services, 'db' | 'queue' | 'log'>;

/** Postgres' clock, to the millisecond and as text. */
async function readClock({ db }: SweepServices): Promise<string> {
  const [row] = await db.sql<{ now: string }[]>`SELECT clock_timestamp()::text AS now`;
  if (!row) throw new Error('Postgres gave no time');
  return row.now;
}

/**
 * One round of a sweeper: chunks whose worker died run again; accounts with free slots get work; lost deliveries are
 * repeated. Each is done though another one failed; what failed is logged once, and is tried again in the next round.
 * @param before Postgres' time at the round before: leases that ran out since have another round's grace
 * @returns Postgres' time, for the next round
 * @throws when Postgres is away
 */
export async function sweepChunks(services: SweepServices, before: string | undefined): Promise<string> {
  const { db, queue, log } = services;
  const now = await readClock(services);
  const faults: string[] = [];
  const attempt = async (what: string, act: () => Promise<readonly AdmittedRow[]>): Promise<void> => {
    try {
      const rows = await act();
      faults.push(...listFaults(rows));
      await deliverAdmitted(queue, log, rows);
    } catch (error) {
      faults.push(`${what}: ${String(error)}`);
    }
  };
  if (before !== undefined) {
    await attempt(
      'taking chunks back',
      () =>
        db.sql<AdmittedRow[]>`SELECT * FROM engine.sweep_chunks(${MAX_DEATHS}, ${before}::text::timestamptz)`,
    );
  }
  await attempt('admitting', () => db.sql<AdmittedRow[]>`SELECT * FROM engine.pump()`);
  await attempt('delivering again', () => repeatDeliveries(services));
  if (faults.length > 0) {
    log.warn({ count: faults.length, faults: faults.slice(0, 5) }, 'parts of a sweep failed; trying again');
  }
  return now;
}

/** A sweeper's round after round. */
export function createChunkSweeper(services: SweepServices): () => Promise<void> {
  let before: string | undefined;
  return async () => {
    before = await sweepChunks(services, before);
  };
}

/** Without its epoch the queue has lost its jobs: everything admitted is delivered again. */
async function repeatDeliveries({ db, queue, log }: SweepServices): Promise<readonly AdmittedRow[]> {
  const hasLostJobs = (await queue.readEpoch()) === null;
  const rows = await db.sql<AdmittedRow[]>`SELECT * FROM engine.redeliver(${hasLostJobs})`;
  if (!hasLostJobs) return rows;
  await deliverAdmitted(queue, log, rows);
  // A queue that was never used has no epoch either.
  if (rows.length > 0) {
    log.warn(
      { delivered: rows.length },
      'the queue had lost its jobs; all admitted work was delivered again',
    );
  }
  await queue.writeEpoch(randomUUID());
  return [];
}

/** Makes partitions ahead of time and drops those whose results are too old to be read. */
export async function rotatePartitions({ db, log }: Pick<SweepServices, 'db' | 'log'>): Promise<void> {
  await db.sql`SELECT engine.ensure_partition(now()), engine.ensure_partition(now() + interval '6 hours')`;
  const expired = await db.sql<{ suffix: string }[]>`
    SELECT suffix FROM engine.expired_windows(${RETENTION}::text::interval) suffix`;
  for (const { suffix } of expired) {
    await db.sql`SELECT engine.drop_window(${suffix})`;
    log.info({ window: suffix }, 'results that were too old to be read are gone');
  }
}
