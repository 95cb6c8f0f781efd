import { AppError } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';

/** @throws AppError in_use while unfinished runs of the account write to the database, or to one table of it */
export async function refuseUnfinished(
  sql: Sql,
  { accountId, database, table }: { accountId: string; database: string; table?: string },
): Promise<void> {
  const runs = await sql<{ id: string }[]>`
    SELECT DISTINCT split_part(id, '/', 1) AS id FROM gleaner.runs
    WHERE account_id = ${accountId} AND state IN ('pending', 'running') AND sink->>'database' = ${database}
      ${table === undefined ? sql`` : sql`AND sink->>'table' = ${table}`}
    ORDER BY id LIMIT 5`;
  if (runs.length === 0) return;
  throw new AppError('in_use', {
    detail: `unfinished work writes to it: ${runs.map((run) => run.id).join(', ')}`,
    hint: 'Wait for it to end, or cancel it.',
  });
}
