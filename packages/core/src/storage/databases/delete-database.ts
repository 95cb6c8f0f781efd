import type { deleteDatabase as operation, OperationInput } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { asUsers, refuseUsed } from '../../platform/references/refuse-used.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { dropReader, endReaderSessions } from './reader-login.ts';
import { refuseUnfinished } from './refuse-unfinished.ts';
import { quoteIdentifier } from './sql-text.ts';

/** @throws AppError not_found, in_use. A managed database goes with its tables and its login; an external one is only forgotten. */
export async function deleteDatabase(
  ctx: Context<DatabaseServices>,
  { params }: OperationInput<typeof operation>,
): Promise<void> {
  const { db } = ctx.services;
  const database = await readDatabase(db.orm, { accountId: ctx.accountId, id: params.id });
  await refuseUnfinished(db.sql, { accountId: ctx.accountId, database: database.id });
  refuseUsed(asUsers(await db.sql`SELECT * FROM engine.list_users(${ctx.accountId}, NULL, ${database.id})`));
  if (database.reader !== null) await endReaderSessions(db.sql, database.reader);
  await db.sql.begin(async (tx) => {
    await tx`SET LOCAL lock_timeout = '10s'`;
    const [deleted] = await tx<{ reader: string | null }[]>`
      DELETE FROM gleaner.databases WHERE id = ${database.id} AND account_id = ${ctx.accountId} RETURNING reader`;
    // A cron that was stored just before is found now: storing it locked the row.
    refuseUsed(asUsers(await tx`SELECT * FROM engine.list_users(${ctx.accountId}, NULL, ${database.id})`));
    if (!deleted || database.kind !== 'managed') return;
    await tx.unsafe(`DROP SCHEMA IF EXISTS ${quoteIdentifier(database.id)} CASCADE`);
    if (deleted.reader !== null) await dropReader(tx, deleted.reader);
  });
}
