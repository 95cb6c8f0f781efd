import type { deleteDatabase as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq, sql } from 'drizzle-orm';
import { refuseUsed } from '../../platform/references/refuse-used.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { dropReader, endReaderSessions } from './reader-login.ts';
import { refuseUnfinished } from './refuse-unfinished.ts';
import { quoteIdentifier, textRunner } from './sql-text.ts';
import type { Perform } from '../../platform/perform.ts';

const { databases } = tables;

/** Drops a managed database with its tables and login, or deletes an external connection. @throws AppError not_found, in_use */
export const deleteDatabase: Perform<typeof operation, DatabaseServices> = async (
  { services, accountId },
  { params },
) => {
  const { db } = services;
  const { id, kind, reader } = await readDatabase(db.orm, { accountId, id: params.id });
  await refuseUnfinished(db.sql, { accountId, database: id });
  await refuseUsed(db.orm, accountId, 'database', id);
  if (reader !== null) await endReaderSessions(db.sql, reader);
  await db.orm.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL lock_timeout = '10s'`);
    const [deleted] = await tx
      .delete(databases)
      .where(and(eq(databases.id, id), eq(databases.accountId, accountId)))
      .returning({ reader: databases.reader });
    if (!deleted) return;
    // Storing a user of the database locks the row, so a concurrently stored one is found here.
    await refuseUsed(tx, accountId, 'database', id);
    if (kind !== 'managed') return;
    const runner = textRunner(tx);
    await runner.unsafe(`DROP SCHEMA IF EXISTS ${quoteIdentifier(id)} CASCADE`);
    if (deleted.reader !== null) await dropReader(runner, deleted.reader);
  });
};
