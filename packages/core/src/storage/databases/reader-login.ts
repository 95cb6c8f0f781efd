import { type TextRunner, quoteIdentifier, quoteLiteral, type SqlRunner, textRunner } from './sql-text.ts';
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type Database, errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { invalid } from '../../platform/invalid-request.ts';
import { AppError } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import { write, type Perform, type OutputOf } from '../../platform/context.ts';
import { readDatabase } from './database-record.ts';
import type { DatabaseServices } from './database-services.ts';

/**
 * Waits for other transactions that change what logins may do, and keeps them waiting until this one ends: they write the
 * same rows of pg_database and pg_roles, and Postgres refuses the second writer ("tuple concurrently updated"). A
 * transaction that also locks a row of gleaner.databases locks that row first.
 */
const LOCK_LOGINS = `PERFORM pg_advisory_xact_lock(hashtextextended('gleaner confine', 0))`;

/**
 * Revokes from PUBLIC the default rights of every login: connecting to this database and to the two standard ones,
 * temporary tables, the public schema, and built-in functions that write (large objects, WAL messages) or block others
 * (advisory locks). Rights that this server's user may not revoke stay (docs/use/databases.md). Writes nothing when there is
 * nothing to revoke. The service and the database's owner keep the functions. A dump that was restored lost what earlier
 * logins were granted on the database, so they get it again when PUBLIC loses it. Idempotent: clones and dumps don't include
 * database privileges, so this runs with every new login.
 */
const CONFINE = `
DO $$
DECLARE
  v record;
  v_reader text;
  v_owner text := (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database());
BEGIN
  ${LOCK_LOGINS};
  FOR v IN
    SELECT d.datname, a.privilege_type FROM pg_database d,
      aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
    WHERE a.grantee = 0 AND d.datname IN (current_database(), 'postgres', 'template1')
  LOOP
    BEGIN
      EXECUTE format('REVOKE %s ON DATABASE %I FROM PUBLIC', v.privilege_type, v.datname);
      IF v.privilege_type = 'CONNECT' AND v.datname = current_database() THEN
        FOR v_reader IN SELECT d.reader FROM gleaner.databases d JOIN pg_roles r ON r.rolname = d.reader LOOP
          EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', v.datname, v_reader);
        END LOOP;
      END IF;
    EXCEPTION WHEN insufficient_privilege OR internal_error THEN NULL;
    END;
  END LOOP;
  FOR v IN
    SELECT a.privilege_type FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
    WHERE n.nspname = 'public' AND a.grantee = 0
  LOOP
    BEGIN
      EXECUTE format('REVOKE %s ON SCHEMA public FROM PUBLIC', v.privilege_type);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
  END LOOP;
  FOR v IN
    SELECT p.oid::regprocedure::text AS name FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND a.grantee = 0 AND a.privilege_type = 'EXECUTE'
      AND (p.proname ~ '^(lo_|pg_advisory_|pg_try_advisory_|pg_logical_emit_message$)' OR p.proname IN ('loread', 'lowrite'))
  LOOP
    BEGIN
      EXECUTE format('REVOKE EXECUTE ON FUNCTION pg_catalog.%s FROM PUBLIC', v.name);
      EXECUTE format('GRANT EXECUTE ON FUNCTION pg_catalog.%s TO %I, CURRENT_USER', v.name, v_owner);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
  END LOOP;
END
$$`;

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
