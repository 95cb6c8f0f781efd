import { type TextRunner, quoteIdentifier, quoteLiteral, textRunner } from './sql-text.ts';
import { boundText, CONFINE, endReaderSessions, LOCK_LOGINS } from './reader-bounds.ts';
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type Database, errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { invalid } from '../../platform/invalid-request.ts';
import { AppError } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import { write, type Perform, type OutputOf } from '../../platform/context.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';

const SCRAM_ITERATIONS = 4096;
const MAX_CONNECTIONS = 5;

/**
 * The form in which Postgres stores a password (RFC 5803), so that no statement or log contains the password.
 * The password must be ASCII.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** Creates or renews the login of a managed database. It may only read the database's schema. */
export async function saveReader(
  tx: TextRunner,
  { schema, reader, password }: { schema: string; reader: string; password: string },
): Promise<void> {
  const role = quoteIdentifier(reader);
  const place = quoteIdentifier(schema);
  const [known] = await tx.unsafe(`SELECT 1 FROM pg_roles WHERE rolname = ${quoteLiteral(reader)}`);
  const [current] = await tx.unsafe('SELECT quote_ident(current_database()) AS name');
  const databaseName = current?.['name'];
  if (typeof databaseName !== 'string') throw new Error('the database gave no name');
  const options = `LOGIN NOINHERIT CONNECTION LIMIT ${MAX_CONNECTIONS} PASSWORD ${quoteLiteral(scramVerifier(password))}`;
  const settings = {
    default_transaction_read_only: 'on',
    statement_timeout: '60s',
    idle_in_transaction_session_timeout: '60s',
    lock_timeout: '10s',
    work_mem: '16MB',
    max_parallel_workers_per_gather: '0',
    search_path: schema,
  };
  await tx.unsafe(
    [
      known
        ? `ALTER ROLE ${role} ${options}`
        : `CREATE ROLE ${role} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION ${options}`,
      ...Object.entries(settings).map(
        ([name, value]) =>
          `ALTER ROLE ${role} SET ${name} = ${name === 'search_path' ? place : quoteLiteral(value)}`,
      ),
      `GRANT CONNECT ON DATABASE ${databaseName} TO ${role}`,
      `GRANT USAGE ON SCHEMA ${place} TO ${role}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${place} TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${place} GRANT SELECT ON TABLES TO ${role}`,
      boundText(reader),
    ].join(';\n'),
  );
}

/**
 * Drops the login and everything that it owns in this database, after its schema was dropped. A login that owns objects
 * in another database of the server is only locked.
 */
export async function dropReader(tx: TextRunner, reader: string): Promise<void> {
  await tx.unsafe(`DO $$ BEGIN ${LOCK_LOGINS}; END $$`);
  const [known] = await tx.unsafe(`SELECT 1 FROM pg_roles WHERE rolname = ${quoteLiteral(reader)}`);
  if (!known) return;
  const role = quoteIdentifier(reader);
  await tx.unsafe(`DO $$ BEGIN
    GRANT ${role} TO CURRENT_USER;
    DROP OWNED BY ${role};
    DROP ROLE ${role};
  EXCEPTION WHEN dependent_objects_still_exist THEN
    ALTER ROLE ${role} NOLOGIN PASSWORD NULL;
  END $$`);
}

/** Creates the login on the first call. Each further call sets a new password and ends the login's sessions. */
export const createDatabaseCredentials: Perform<'createDatabaseCredentials', DatabaseServices> = async (
  ctx,
  { params },
) => {
  const { db } = ctx.services;
  const database = await readDatabase(db.orm, { accountId: ctx.accountId, id: params.id });
  if (database.kind !== 'managed')
    throw invalid(
      'id',
      'Gleaner creates logins only for managed databases; create a login in the external database itself',
    );
  const reader = `${database.id}_reader`;
  const password = randomBytes(24).toString('base64url');
  const answer = describeLogin(db, { schema: database.id, user: reader, password });
  // A session that has begun to change its own password holds the role's row.
  if (database.reader !== null) await endReaderSessions(db.sql, reader);
  try {
    await write(ctx, async (tx) => {
      const [locked] = await tx.execute(
        sql`UPDATE gleaner.databases SET reader = ${reader} WHERE id = ${database.id} RETURNING id`,
      );
      if (!locked) throw new AppError('not_found');
      const runner = textRunner(tx);
      await runner.unsafe(CONFINE);
      await saveReader(runner, { schema: database.id, reader, password });
      return answer;
    });
  } catch (error) {
    if (errorCodeOf(error) !== PG_ERRORS.insufficientPrivilege) throw error;
    throw new AppError('temporarily_unavailable', {
      detail: 'the Postgres user of the service may not create logins',
      hint: 'The operator can grant it CREATEROLE.',
      retryable: false,
      cause: error,
    });
  }
  if (database.reader !== null) await endReaderSessions(db.sql, reader);
  return answer;
};

function describeLogin(
  { address }: Database,
  login: { schema: string; user: string; password: string },
): OutputOf<'createDatabaseCredentials'> {
  const { host, port, database } = address;
  const url = new URL(`postgres://localhost/${encodeURIComponent(database)}`);
  url.hostname = host;
  url.port = String(port);
  url.username = login.user;
  url.password = login.password;
  return { host, port, database, ...login, connection_url: url.href };
}
