import type { deleteDatabase as operation, OperationInput } from '@gleaner/contracts';
import { ENGINE, type Sql } from '@gleaner/db';
import type { TransactionSql } from 'postgres';
import type { Context } from '../../platform/context.ts';
import { asUsers, refuseUsed, type User } from '../../platform/references/refuse-used.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { dropReader, endReaderSessions } from './reader-login.ts';
import { refuseUnfinished } from './refuse-unfinished.ts';
import { quoteIdentifier } from './sql-text.ts';

async function listUsers(sql: Sql | TransactionSql, accountId: string, id: string): Promise<User[]> {
  return asUsers(await sql`SELECT * FROM ${sql(ENGINE)}.list_users(${accountId}, p_database => ${id})`);
}

/** Drops a managed database with its tables and login, or deletes an external connection. @throws AppError not_found, in_use */
export async function deleteDatabase(
  ctx: Context<DatabaseServices>,
  { params }: OperationInput<typeof operation>,
): Promise<void> {
  const { db } = ctx.services;
  const database = await readDatabase(db.orm, { accountId: ctx.accountId, id: params.id });
  await refuseUnfinished(db.sql, { accountId: ctx.accountId, database: database.id });
  refuseUsed(await listUsers(db.sql, ctx.accountId, database.id));
  if (database.reader !== null) await endReaderSessions(db.sql, database.reader);
  await db.sql.begin(async (tx) => {
    await tx`SET LOCAL lock_timeout = '10s'`;
    const [deleted] = await tx<{ reader: string | null }[]>`
      DELETE FROM gleaner.databases WHERE id = ${database.id} AND account_id = ${ctx.accountId} RETURNING reader`;
    if (!deleted) return;
    // Storing a user of the database locks the row, so a concurrently stored one is found here.
    refuseUsed(await listUsers(tx, ctx.accountId, database.id));
    if (database.kind !== 'managed') return;
    await tx.unsafe(`DROP SCHEMA IF EXISTS ${quoteIdentifier(database.id)} CASCADE`);
    if (deleted.reader !== null) await dropReader(tx, deleted.reader);
  });
}
