import type { deleteDatabase as operation, OperationInput } from '@gleaner/contracts';
import type { Context } from '../context.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { dropReader, endReaderSessions } from './reader-login.ts';
import { quoteIdentifier } from './sql-text.ts';

/** A managed database goes with its tables and its login; an external one is only forgotten. */
export const deleteDatabase = async (
  ctx: Context<DatabaseServices>,
  { params }: OperationInput<typeof operation>,
): Promise<void> => {
  const { db } = ctx.services;
  const database = await readDatabase(db.orm, { accountId: ctx.accountId, id: params.id });
  if (database.reader !== null) await endReaderSessions(db.sql, database.reader);
  await db.sql.begin(async (tx) => {
    await tx`SET LOCAL lock_timeout = '10s'`;
    const [deleted] = await tx<{ reader: string | null }[]>`
      DELETE FROM gleaner.databases WHERE id = ${database.id} AND account_id = ${ctx.accountId} RETURNING reader`;
    if (!deleted || database.kind !== 'managed') return;
    await tx.unsafe(`DROP SCHEMA IF EXISTS ${quoteIdentifier(database.id)} CASCADE`);
    if (deleted.reader !== null) await dropReader(tx, deleted.reader);
  });
};
