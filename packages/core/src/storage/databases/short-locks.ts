import { setTimeout as delay } from 'node:timers/promises';
import { type Database, errorCodeOf, PG_ERRORS } from '@gleaner/db';

/** How long a change of a managed table waits for its lock, because it keeps a connection that serves all accounts. */
export const SHORT_LOCK = '200ms';

const LIMITS = {
  withinMs: 10_000,
  firstPauseMs: 50,
  mostPauseMs: 1_000,
  /** How long a reader may go on with its transaction. */
  graceMs: 1_000,
};

/**
 * Repeats a change of managed tables that could not lock one within SHORT_LOCK. Between two tries it holds no connection, and
 * ends the sessions of readers that keep the tables.
 * @param limits replaced in tests
 * @throws what the change throws; after 10 s also that it could not lock a table
 */
export async function untilUnlocked<T>(
  { db, schema }: { db: Database; schema: string },
  change: () => Promise<T>,
  limits: Partial<typeof LIMITS> = {},
): Promise<T> {
  const { withinMs, firstPauseMs, mostPauseMs, graceMs } = { ...LIMITS, ...limits };
  const until = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(mostPauseMs, pauseMs * 2)) {
    try {
      return await change();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
    }
    await endTableReaders(db, schema, graceMs);
    await delay(pauseMs);
  }
}

function isLocked(error: unknown): boolean {
  const codes = [error, error instanceof Error ? error.cause : undefined].map(errorCodeOf);
  return codes.includes(PG_ERRORS.lockNotAvailable);
}

/**
 * Ends readers whose transactions use tables of the schema, or have changed something. Cancels autovacuum there too: Postgres
 * does so only for those who wait for a second.
 */
async function endTableReaders({ sql }: Database, schema: string, graceMs: number): Promise<void> {
  await sql`
    SELECT CASE WHEN d.id IS NULL THEN pg_cancel_backend(a.pid) ELSE pg_terminate_backend(a.pid) END
    FROM pg_stat_activity a LEFT JOIN gleaner.databases d ON d.reader = a.usename
    WHERE CASE WHEN d.id IS NULL THEN a.backend_type = 'autovacuum worker' AND a.query NOT LIKE '%wraparound%'
        ELSE a.xact_start < clock_timestamp() - ${graceMs}::float8 * interval '1 ms' END
      AND (d.id IS NOT NULL AND a.backend_xid IS NOT NULL OR EXISTS (
        SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.pid = a.pid AND l.granted AND c.relnamespace = to_regnamespace(quote_ident(${schema}))
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())))`.catch(
    (error: unknown) => {
      if (errorCodeOf(error) !== PG_ERRORS.insufficientPrivilege) throw error;
    },
  );
}
