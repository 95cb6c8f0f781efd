import type { Executor } from '@gleaner/db';
import { sql } from 'drizzle-orm';

/** Reads Postgres' clock, as text that keeps its microseconds. */
export async function readDatabaseTime(db: Executor): Promise<string> {
  const [row] = await db.execute<{ now: string }>(sql`SELECT clock_timestamp()::text AS now`);
  if (!row) throw new Error('Postgres gave no time');
  return row.now;
}
