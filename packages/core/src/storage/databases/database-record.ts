import { AppError } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';

export type DatabaseRow = typeof tables.databases.$inferSelect;

/**
 * Finds a database of the account. Another account's database is not found.
 * @param field for a reference inside a body: `sink.database`
 * @throws AppError not_found
 */
export async function readDatabase(
  db: Executor,
  { accountId, id, field }: { accountId: string; id: string; field?: string },
): Promise<DatabaseRow> {
  const [row] = await db
    .select()
    .from(tables.databases)
    .where(and(eq(tables.databases.id, id), eq(tables.databases.accountId, accountId)))
    // Each run with a sink asks this.
    .prepare('read_database')
    .execute();
  if (!row) throw new AppError('not_found', { field });
  return row;
}

export function toDatabaseRecord({ createdAt, updatedAt, ...row }: DatabaseRow) {
  const { id, slug, name, kind, host } = row;
  const schema = kind === 'managed' ? id : null;
  return { id, slug, name, kind, schema, host, created_at: createdAt, updated_at: updatedAt };
}
