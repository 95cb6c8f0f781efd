import { randomUUID } from 'node:crypto';
import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, listFaults, type AdmittedRow, type SweepRow } from '../deliveries/admitted.ts';
import { numberWaiting } from '../stages/store-children.ts';

/** A task fails after so many workers died with it. */
export const MAX_DEATHS = 3;
/** Results can be read for 24 hours after the run was created; the run got its number before its upload. */
const RETENTION = '25 hours';

type SweepServices = Pick<Services, 'db' | 'queue' | 'log'>;

/** Reads Postgres' clock as text. */
async function readClock({ db }: SweepServices): Promise<string> {
  const [row] = await db.sql<{ now: string }[]>`SELECT clock_timestamp()::text AS now`;
  if (!row) throw new Error('Postgres gave no time');
  return row.now;
}

/**
 * One round of a sweeper: chunks of dead workers run again, accounts with free slots get work, and lost deliveries are
 * repeated. A step that fails does not stop the others; the round logs all errors once, and the next round tries again.
 * @param before Postgres' time at the previous round: leases that ran out since then are left for the next round
 * @returns Postgres' time, for the next round
 * @throws when Postgres is away
 */
export async function sweepChunks(services: SweepServices, before: string | undefined): Promise<string> {
  const { db, queue, log } = services;
  const now = await readClock(services);
  const faults: string[] = [];
  const attempt = async (step: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      faults.push(`${step}: ${String(error)}`);
    }
  };
  const deliverSwept = async (rows: readonly SweepRow[]): Promise<void> => {
    faults.push(...listFaults(rows));
    await deliverAdmitted(queue, log, rows);
  };
  if (before !== undefined) {
    await attempt('taking chunks back', async () =>
      deliverSwept(
        await db.sql<SweepRow[]>`
          SELECT fault, (delivery).* FROM engine.sweep_chunks(${MAX_DEATHS}, ${before}::text::timestamptz)`,
      ),
    );
  }
  await attempt('admitting', async () =>
    deliverSwept(await db.sql<SweepRow[]>`SELECT fault, (delivery).* FROM engine.admit_all()`),
  );
  await attempt('numbering children', async () => {
    faults.push(...(await numberWaiting(services)));
  });
  await attempt('delivering again', () => repeatDeliveries(services));
  if (faults.length > 0) {
    log.warn({ count: faults.length, faults: faults.slice(0, 5) }, 'parts of a sweep failed; trying again');
  }
  return now;
}

/** Returns a function that sweeps once per call. */
export function createChunkSweeper(services: SweepServices): () => Promise<void> {
  let before: string | undefined;
  return async () => {
    before = await sweepChunks(services, before);
  };
}

/** Delivers late chunks again. A queue without its epoch has lost its jobs: then all admitted work is delivered again. */
async function repeatDeliveries({ db, queue, log }: SweepServices): Promise<void> {
  const hasLostJobs = (await queue.readEpoch()) === null;
  const rows = await db.sql<AdmittedRow[]>`SELECT * FROM engine.redeliver(${hasLostJobs})`;
  await deliverAdmitted(queue, log, rows);
  if (!hasLostJobs) return;
  // A queue that was never used has no epoch either.
  if (rows.length > 0) {
    log.warn(
      { delivered: rows.length },
      'the queue had lost its jobs; all admitted work was delivered again',
    );
  }
  await queue.writeEpoch(randomUUID());
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
