import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Database } from '@gleaner/db';
import { lockLogins } from './confine-logins.ts';
import { quoteIdentifier, quoteLiteral, type SqlRunner, type TextRunner } from './sql-text.ts';

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

export function readerName(databaseId: string): string {
  return `${databaseId}_reader`;
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
      // Only a superuser may set this limit, and the login can't change it.
      `DO $$ BEGIN ALTER ROLE ${role} SET temp_file_limit = '1GB'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
    ].join(';\n'),
  );
}

/** Ends the sessions of a reader, for a new password or before its schema is dropped, if the service may end them. */
export async function endReaderSessions(sql: SqlRunner, reader: string): Promise<void> {
  await sql.unsafe(
    `DO $$ BEGIN
      PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${quoteLiteral(reader)};
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
  );
}

/** The time limit of a reader's transaction, regardless of the session's own settings. */
const MAX_TRANSACTION = '10 min';

/**
 * Ends readers with transactions that last too long, because these block vacuum on all tables of the service and the
 * cleanup of notices. Works only if the service's user may see other sessions.
 * @returns the number of ended sessions
 */
export async function endLongReaders({ sql }: Database, longerThan = MAX_TRANSACTION): Promise<number> {
  const ended = await sql`
    SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN gleaner.databases d ON d.reader = a.usename
    WHERE a.xact_start < clock_timestamp() - ${longerThan}::text::interval`;
  return ended.length;
}

/**
 * Drops the login and everything that it owns in this database, after its schema was dropped. A login that owns objects
 * in another database of the server is only locked.
 */
export async function dropReader(tx: TextRunner, reader: string): Promise<void> {
  await lockLogins(tx);
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
