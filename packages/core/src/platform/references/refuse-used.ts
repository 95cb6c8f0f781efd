import { AppError } from '@gleaner/contracts';
import type { Executor } from '@gleaner/db';
import { sql, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { TransactionSql } from 'postgres';

/** A thing that other resources of the account name. */
export type Referred = { parser: string } | { database: string } | { workflow: string };

const SHOWN = 5;

/** What uses it, as `id`, `name` and `what`. Each kind of resource that names others has its part here. */
function selectUsers(accountId: string, referred: Referred): SQL {
  if ('workflow' in referred) {
    return sql`
      SELECT r.id, coalesce(r.name, '') AS name, 'unfinished workflow run' AS what FROM gleaner.workflow_runs w
      JOIN gleaner.runs r ON r.no = w.no
      WHERE w.account_id = ${accountId} AND w.workflow_id = ${referred.workflow} AND r.state IN ('pending', 'running')`;
  }
  const stage =
    'parser' in referred
      ? { target: { parserId: referred.parser } }
      : { sink: { database: referred.database } };
  return sql`
    SELECT id, name, 'workflow' AS what FROM gleaner.workflows
    WHERE account_id = ${accountId} AND definition @> ${JSON.stringify({ stages: [stage] })}::jsonb`;
}

interface User {
  id: string;
  name: string;
  what: string;
}

const dialect = new PgDialect();

/** Either kind of transaction: that of Drizzle, or that of postgres.js. */
async function readUsers(db: Executor | TransactionSql, query: SQL): Promise<User[]> {
  // The columns of selectUsers.
  if ('execute' in db) return (await db.execute(query)) as unknown as User[];
  const { sql: text, params } = dialect.sqlToQuery(query);
  return (await db.unsafe(text, params.map(String))) as unknown as User[];
}

/**
 * Refuses to delete what other resources use. Call it in the transaction that deletes, when the row of the thing is
 * locked: who stores a reference locks it too.
 * @throws AppError in_use, naming the users
 */
export async function refuseUsed(
  db: Executor | TransactionSql,
  accountId: string,
  referred: Referred,
): Promise<void> {
  const users = await readUsers(
    db,
    sql`SELECT * FROM (${selectUsers(accountId, referred)}) u ORDER BY id LIMIT ${SHOWN + 1}`,
  );
  if (users.length === 0) return;
  const named = users.slice(0, SHOWN).map(({ id, name, what }) => `${what} ${id} (${name})`);
  throw new AppError('in_use', {
    detail: `used by ${named.join(', ')}${users.length > SHOWN ? ' and others' : ''}`,
    hint: 'Delete or change these first; wait for runs to end, or cancel them.',
  });
}
