import { AppError } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';

/** The most tables with history per account. */
const MAX_FEEDS = 100;

/** Notes that a table keeps its changes, before it does. @throws AppError plan_limit_exceeded */
export async function registerFeed(
  sql: Sql,
  { accountId, database, table }: { accountId: string; database: string; table: string },
): Promise<void> {
  const { count } = await sql`
    INSERT INTO gleaner.feeds (account_id, database_id, table_name)
    SELECT ${accountId}, ${database}, ${table}
    WHERE (SELECT count(*) FROM gleaner.feeds WHERE account_id = ${accountId} AND is_on
      AND (database_id, table_name) <> (${database}, ${table})) < ${MAX_FEEDS}
    ON CONFLICT (database_id, table_name) DO UPDATE SET is_on = true`;
  if (count === 0)
    throw new AppError('plan_limit_exceeded', {
      detail: `an account has at most ${MAX_FEEDS} tables with history`,
      hint: 'End the history of another table: PUT …/tables/{table} {"history": false}.',
      retryable: false,
    });
}

/** Notes that it keeps them no more. */
export async function forgetFeed(sql: Sql, database: string, table: string): Promise<void> {
  await sql`UPDATE gleaner.feeds SET is_on = false WHERE database_id = ${database} AND table_name = ${table}`;
}
