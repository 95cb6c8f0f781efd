import type { Database } from '@gleaner/db';

/** Reads Postgres' clock, as text that keeps its microseconds. */
export async function readDatabaseTime(db: Database): Promise<string> {
  const [row] = await db.sql<{ now: string }[]>`SELECT clock_timestamp()::text AS now`;
  if (!row) throw new Error('Postgres gave no time');
  return row.now;
}
