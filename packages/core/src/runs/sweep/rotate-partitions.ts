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

/** Removes what belongs to rows of the window that are gone, outside of its tables: of runs that need it no longer. */
export async function forgetWindow({ sql }: Database, start: string, retention = RETENTION): Promise<void> {
  for (const table of ['carried_values', 'run_bytes'])
    await sql`
      DELETE FROM gleaner.${sql(table)} WHERE run_no >= ${sql(ENGINE)}.number_at(${start}::text::timestamptz)
        AND run_no < ${sql(ENGINE)}.number_at(${start}::text::timestamptz + interval '6 hours')
        AND run_no <> ALL (ARRAY(SELECT ${sql(ENGINE)}.runs_in_need(${start}::text::timestamptz, ${retention}::text::interval)))`;
}

/**
 * Removes the rows of the ended runs of a window in which others live, in a time that depends on the rows of these alone. Its
 * tables are locked meanwhile, so a window stays whole while the runs that live have many rows.
 */
async function reduceWindow(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { suffix, start }: Expired,
): Promise<void> {
  const isReduced = await db.sql.begin(async (tx) => {
    await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    const [needed] = await tx<{ runs: string[]; rows: number }[]>`
      SELECT coalesce(array_agg(r.no::text), '{}') AS runs, coalesce(sum(r.total), 0)::float8 AS rows
      FROM gleaner.runs r
      WHERE r.no IN (SELECT ${tx(ENGINE)}.runs_in_need(${start}::text::timestamptz, ${RETENTION}::text::interval))`;
    if (!needed || needed.rows > MOST_KEPT) return false;
    for (const parent of PARENTS) {
      const table = `${parent}_${suffix}`;
      const kept = `kept_${parent}`;
      await tx`LOCK TABLE gleaner.${tx(table)} IN ACCESS EXCLUSIVE MODE`;
      await tx`
        CREATE TEMP TABLE ${tx(kept)} ON COMMIT DROP AS
        SELECT t.* FROM gleaner.${tx(table)} t WHERE t.run_no = ANY (${needed.runs}::bigint[])`;
      await tx`TRUNCATE gleaner.${tx(table)}`;
      await tx`INSERT INTO gleaner.${tx(table)} SELECT * FROM ${tx(kept)}`;
      await tx.unsafe(`COMMENT ON TABLE gleaner.${table} IS 'has rows of runs that live alone'`);
    }
    return true;
  });
  if (isReduced) await forgetWindow(db, start);
  if (isReduced) log.info({ window: suffix }, 'expired results were removed, except those of runs that live');
}

/**
 * Windows that can be dropped, and those whose other runs' rows can go. A window that keeps the rows of few runs has a comment
 * that says so.
 */
function findExpired({ sql }: Database): Promise<Expired[]> {
  return sql<Expired[]>`
    SELECT w.suffix, w.start::text AS start, w."isNeeded" FROM (
      SELECT t.*, EXISTS (
        SELECT 1 FROM ${sql(ENGINE)}.runs_in_need(t.start, ${RETENTION}::text::interval)) AS "isNeeded"
      FROM (
        SELECT substr(c.relname, 9) AS suffix, to_timestamp(substr(c.relname, 9) || '+00', 'YYYYMMDDHH24TZH') AS start,
          obj_description(c.oid, 'pg_class') IS NOT NULL AS is_reduced
        FROM pg_class c WHERE c.relnamespace = 'gleaner'::regnamespace AND c.relname ~ '^results_[0-9]{10}$'
      ) t WHERE t.start + interval '6 hours' + ${RETENTION}::text::interval < clock_timestamp()
    ) w WHERE NOT (w."isNeeded" AND w.is_reduced)`;
}

/** Creates partitions ahead of time, and drops partitions with expired results. */
export async function rotatePartitions({ db, log }: Pick<Services, 'db' | 'log'>): Promise<void> {
  await db.sql`SELECT ${db.sql(ENGINE)}.ensure_partition(now()), ${db.sql(ENGINE)}.ensure_partition(now() + interval '6 hours')`;
  const expired = await findExpired(db);
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
