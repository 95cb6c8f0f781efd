import { invalid } from '../../platform/invalid-request.ts';
import { AppError } from '@gleaner/contracts';
import { tables, errorCodeOf, PG_ERRORS, type Database, type Sql, type Transaction } from '@gleaner/db';
import { eq, sql, and } from 'drizzle-orm';
import { lockAccount, requireRoom } from '../../accounts/account-record.ts';
import { write, type Context, type Perform } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { slugColumn } from '../../platform/slugs/slug-column.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { readConnectionUrl, showTarget } from '../external/connection-target.ts';
import { toDatabaseRecord, readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';
import { connectionPlace } from '../external/external-databases.ts';
import { quoteIdentifier, textRunner, quoteTable } from './sql-text.ts';
import { endTableLinks } from '../exports/export-links.ts';
import { refuseUsed } from '../../platform/references/used.ts';
import { endReaderSessions } from './reader-bounds.ts';
import { dropReader } from './reader-login.ts';
import { SHORT_LOCK, untilUnlocked } from './short-locks.ts';
import { endFeed, readFeed } from './feed-tables.ts';
import { forgetFeed } from './register-feed.ts';
import { findTable, openOwnDatabase } from './read-rows.ts';
import { isMarked } from './table-info.ts';

const { databases } = tables;

/** The most databases per account, because schemas are not free. */
const MAX_DATABASES = 100;

/** The columns of a connection, after a successful test. */
async function sealConnection(
  { services, accountId }: Context<DatabaseServices>,
  id: string,
  connectionUrl: string,
): Promise<{ connection: Buffer; host: string }> {
  const { config, external } = services;
  const target = readConnectionUrl(connectionUrl);
  await external.probe(accountId, target);
  const connection = seal(connectionUrl, { secretKey: config.secretKey, place: connectionPlace(id) });
  return { connection, host: showTarget(target) };
}

function nameTaken(name: string): AppError {
  return new AppError('name_taken', { field: 'name', detail: `a database named ${name} already exists` });
}

export const createDatabase: Perform<'createDatabase', DatabaseServices> = async (ctx, { body }) => {
  const id = createId('database');
  const { kind, name } = body;
  const connection = kind === 'postgres' ? await sealConnection(ctx, id, body.connection_url) : {};
  return write(ctx, async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const known = await tx.$count(databases, eq(databases.accountId, ctx.accountId));
    requireRoom(known, MAX_DATABASES, `an account has at most ${MAX_DATABASES} databases`);
    const [row] = await tx
      .insert(databases)
      .values({ id, accountId: ctx.accountId, ...slugColumn(body), name, kind, ...connection })
      .onConflictDoNothing({ target: [databases.accountId, databases.name] })
      .returning();
    if (!row) throw nameTaken(name);
    if (kind === 'managed') await tx.execute(sql.raw(`CREATE SCHEMA ${quoteIdentifier(id)}`));
    return toDatabaseRecord(row);
  });
};

export const updateDatabase: Perform<'updateDatabase', DatabaseServices> = async (ctx, { params, body }) => {
  const { db } = ctx.services;
  const { accountId } = ctx;
  const { name, connection_url: connectionUrl } = body;
  const known = await readDatabase(db.orm, { accountId, id: params.id });
  if (connectionUrl !== undefined && known.kind === 'managed')
    throw invalid('connection_url', 'a managed database has no connection URL');
  const connection = connectionUrl === undefined ? {} : await sealConnection(ctx, known.id, connectionUrl);
  try {
    return await write(ctx, async (tx) => {
      const [row] = await tx
        .update(databases)
        .set({
          ...connection,
          ...slugColumn(body),
          name,
          updatedAt: sql`clock_timestamp()`,
        })
        .where(and(eq(databases.id, known.id), eq(databases.accountId, accountId)))
        .returning();
      if (!row) throw new AppError('not_found');
      return toDatabaseRecord(row);
    });
  } catch (error) {
    if (
      name !== undefined &&
      error instanceof Error &&
      errorCodeOf(error.cause) === PG_ERRORS.uniqueViolation
    )
      throw nameTaken(name);
    throw error;
  }
};

/** @throws AppError in_use while unfinished runs of the account write to the database, or to one table of it */
async function refuseUnfinished(
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

/** @throws AppError in_use while removals of its rows wait */
async function refuseHeldRemovals(
  sql: Sql,
  { accountId, database, table }: { accountId: string; database: string; table?: string | undefined },
): Promise<void> {
  const runs = await sql<{ id: string }[]>`
    SELECT r.id FROM gleaner.run_judgements j JOIN gleaner.runs r ON r.no = j.run_no
    WHERE j.account_id = ${accountId} AND j.state IN ('held', 'publishing') AND EXISTS (
      SELECT FROM jsonb_array_elements(j.held) h WHERE h ->> 'database' = ${database}
        ${table === undefined ? sql`` : sql`AND h ->> 'table' = ${table}`})
    ORDER BY r.id LIMIT 5`;
  if (runs.length === 0) return;
  throw new AppError('in_use', {
    detail: `removals of its rows wait for a decision: ${runs.map((run) => run.id).join(', ')}`,
    hint: 'Publish or discard them, or delete the results of these runs.',
  });
}

/** @throws AppError in_use while rows that runs hold back wait for the database, or for one table of it */
async function refuseHeld(
  sql: Sql,
  { accountId, database, table }: { accountId: string; database: string; table?: string },
): Promise<void> {
  const runs = await sql<{ id: string }[]>`
    SELECT DISTINCT split_part(id, '/', 1) AS id FROM gleaner.runs
    WHERE sink->>'database' = ${database} ${table === undefined ? sql`` : sql`AND sink->>'table' = ${table}`}
      AND no IN (SELECT q.run_no FROM gleaner.quarantined_rows q
        WHERE q.account_id = ${accountId} AND q.state IN ('suspect', 'held', 'releasing'))
    ORDER BY id LIMIT 5`;
  await refuseHeldRemovals(sql, { accountId, database, table });
  if (runs.length === 0) return;
  throw new AppError('in_use', {
    detail: `rows that are held back wait for it: ${runs.map((run) => run.id).join(', ')}`,
    hint: 'Release or discard them, or delete the results of these runs.',
  });
}

/** Drops a managed database with its tables and login, or deletes an external connection. @throws AppError not_found, in_use */
export const deleteDatabase: Perform<'deleteDatabase', DatabaseServices> = async (
  { services, accountId },
  { params },
) => {
  const { db } = services;
  const { id } = await readDatabase(db.orm, { accountId, id: params.id });
  await refuseUnfinished(db.sql, { accountId, database: id });
  await refuseHeld(db.sql, { accountId, database: id });
  await refuseUsed(db.orm, accountId, 'database', id);
  await removeDatabase(db, accountId, id);
};

/** Removes a database that nothing writes to. @throws AppError not_found, in_use */
export async function removeDatabase(db: Database, accountId: string, database: string): Promise<void> {
  const { id, kind, reader } = await readDatabase(db.orm, { accountId, id: database });
  const drop = async (tx: Transaction): Promise<void> => {
    await tx.execute(sql.raw(`SET LOCAL lock_timeout = '${SHORT_LOCK}'`));
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
  };
  await untilUnlocked({ db, schema: id }, async () => {
    if (reader !== null) await endReaderSessions(db.sql, reader);
    await db.orm.transaction(drop);
  });
}

const DEPENDENT_OBJECTS = '2BP01';

/**
 * In an external database, drops only tables that a sink created, because sinks also add columns to the owner's tables. A
 * managed database has only tables of sinks.
 */
export const dropTable: Perform<'dropTable', DatabaseServices> = async (ctx, { params }) => {
  const place = await openOwnDatabase(ctx, params.id);
  const { kind, schema } = place;
  const { accountId, services } = ctx;
  await refuseUnfinished(services.db.sql, { accountId, database: params.id, table: params.table });
  await refuseHeld(services.db.sql, { accountId, database: params.id, table: params.table });
  try {
    await place.change(async (tx) => {
      const table = await findTable(tx, schema, params.table);
      const { name } = table;
      if (kind !== 'managed' && !(await isMarked(tx, { schema, table: name })))
        throw invalid(
          'table',
          `table ${name} has no mark that a sink created it, so it is not dropped`,
          'Drop it in the database itself.',
        );
      const feed = await readFeed(tx, schema, table);
      await tx.unsafe(`DROP TABLE ${quoteTable(schema, name)}`);
      for (const { text, parameters = [] } of feed ? endFeed(schema, name, feed, true) : [])
        await tx.unsafe(text, [...parameters]);
    });
    await endTableLinks(services.db, { accountId, database: params.id, table: params.table });
    await forgetFeed(services.db.sql, params.id, params.table);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === DEPENDENT_OBJECTS)
      throw new AppError('in_use', { detail: 'a view or constraint depends on the table', cause: error });
    if (code === PG_ERRORS.insufficientPrivilege)
      throw new AppError('invalid_request', {
        field: 'table',
        detail: 'the user of the connection_url may not drop the table',
        cause: error,
      });
    throw error;
  }
};
