import type { Database } from '@gleaner/db';
import { expect } from 'vitest';

/**
 * Rows read so far in the tables that have rows for each page or link of a run. Ends all other sessions of the database,
 * because a session reports what it read when it ends. Then Postgres has statistics of all runs so far: they say that a
 * later run has no rows, which makes the worst plans.
 */
export async function countRowsRead({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const others = () => sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  await expect
    .poll(async () => {
      const pids = (await others()).map(({ pid }) => pid);
      await sql`SELECT pg_terminate_backend(pid) FROM unnest(${pids}::int[]) pid`;
      return pids;
    })
    .toEqual([]);
  await sql`ANALYZE`;
  await sql`SELECT pg_stat_force_next_flush()`;
  const [row] = await sql<{ read: number }[]>`
    SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_user_tables
    WHERE relname ~ '^(frontier|tasks|results)_[0-9]' OR relname IN ('fetched_pages', 'guesses', 'child_batches')`;
  return row?.read ?? -1;
}
