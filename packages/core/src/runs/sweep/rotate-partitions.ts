import { ENGINE, type Database } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';

/** Results can be read for 24 hours after the run was created; the run got its number before its upload. */
const RETENTION = '25 hours';
/** How long dropping a window waits for its readers before the next round tries again. */
const LOCK_TIMEOUT = '500ms';
const PARENTS = ['tasks', 'frontier', 'results'] as const;

/** Maximum rows that are rewritten when a window is reduced: some hundred milliseconds. */
const MOST_KEPT = 50_000;

interface Expired {
  suffix: string;
  start: string;
  /** Some of its runs live. */
  isNeeded: boolean;
}

interface Partition {
  name: string;
  /** An earlier round did not finish detaching it. */
  is_pending: boolean;
}

/**
 * Drops the tables of one window. They are detached first, because dropping an attached partition locks the whole parent
 * and would block readers and writers of other windows.
 * @throws PostgresError 55P03 while a transaction is open that may read the window
 */
function dropWindow(db: Database, suffix: string): Promise<void> {
  return db.withSession(async (session) => {
    await session.unsafe(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
    for (const parent of PARENTS) {
      const table = `gleaner.${parent}_${suffix}`;
      const [attached] = await session<Partition[]>`
        SELECT c.relname AS name, i.inhdetachpending AS is_pending
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhrelid = to_regclass(${table})`;
      if (attached) {
        const how = attached.is_pending ? 'FINALIZE' : 'CONCURRENTLY';
        await session.unsafe(`ALTER TABLE gleaner.${parent} DETACH PARTITION ${table} ${how}`);
      }
      await session.unsafe(`DROP TABLE IF EXISTS ${table}`);
    }
  });
}

/** Removes what belongs to the window's rows outside its tables. */
async function forgetWindow({ sql }: Database, start: string): Promise<void> {
  await sql`SELECT ${sql(ENGINE)}.forget_window(${start}::text::timestamptz, ${RETENTION}::text::interval)`;
}

/**
 * Removes the rows of the ended runs of a window in which others live. Its tables are locked meanwhile, so a window stays
 * whole while the runs that live have many rows.
 */
async function reduceWindow(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { suffix, start }: Expired,
): Promise<void> {
  const isReduced = await db.sql.begin(async (tx) => {
    await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    const [row] = await tx<{ done: boolean }[]>`
      SELECT ${tx(ENGINE)}.reduce_window(${suffix}, ${start}::text::timestamptz, ${RETENTION}::text::interval, ${MOST_KEPT}) AS done`;
    return row?.done === true;
  });
  if (isReduced) await forgetWindow(db, start);
  if (isReduced) log.info({ window: suffix }, 'expired results were removed, except those of runs that live');
}

/** Creates partitions ahead of time, and drops partitions with expired results. */
export async function rotatePartitions({ db, log }: Pick<Services, 'db' | 'log'>): Promise<void> {
  await db.sql`SELECT ${db.sql(ENGINE)}.ensure_partition(now()), ${db.sql(ENGINE)}.ensure_partition(now() + interval '6 hours')`;
  const expired = await db.sql<Expired[]>`
    SELECT suffix, start::text AS start, is_needed AS "isNeeded"
    FROM ${db.sql(ENGINE)}.expired_windows(${RETENTION}::text::interval)`;
  await forEachAlone(
    expired,
    async (window) => {
      const { suffix } = window;
      if (window.isNeeded) return reduceWindow({ db, log }, window);
      await dropWindow(db, suffix);
      await forgetWindow(db, window.start);
      log.info({ window: suffix }, 'expired results were removed');
    },
    1,
  );
}
