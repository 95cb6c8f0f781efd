import { toStorableJson } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { quoteIdentifier, quoteLiteral, textRunner, type SqlRunner, type TextRunner } from './sql-text.ts';

/**
 * Waits for other transactions that change what logins may do, and keeps them waiting until this one ends: they write the
 * same rows of pg_database and pg_roles, and Postgres refuses the second writer ("tuple concurrently updated"). A
 * transaction that also locks a row of gleaner.databases locks that row first.
 */
export const LOCK_LOGINS = `PERFORM pg_advisory_xact_lock(hashtextextended('gleaner confine', 0))`;

/**
 * Revokes from PUBLIC the default rights of every login: connecting to this database and to the two standard ones,
 * temporary tables, the public schema, and built-in functions that write (large objects, WAL messages) or block others
 * (advisory locks, and pg_partition_tree, which locks any table by its number). Rights that this server's user may not revoke stay (docs/use/databases.md). Writes nothing when there is
 * nothing to revoke. The service and the database's owner keep the functions. A dump that was restored lost what earlier
 * logins were granted on the database, so they get it again when PUBLIC loses it. Idempotent: clones and dumps don't include
 * database privileges, so this runs with every new login, and now and then.
 */
export const CONFINE = `
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
      AND (p.proname ~ '^(lo_|pg_advisory_|pg_try_advisory_|pg_logical_emit_message$|pg_partition_tree$)' OR p.proname IN ('loread', 'lowrite'))
  LOOP
    BEGIN
      EXECUTE format('REVOKE EXECUTE ON FUNCTION pg_catalog.%s FROM PUBLIC', v.name);
      EXECUTE format('GRANT EXECUTE ON FUNCTION pg_catalog.%s TO %I, CURRENT_USER', v.name, v_owner);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
  END LOOP;
END
$$`;

/**
 * What a login can't change itself, and only a superuser may set (or who was granted it: `GRANT SET ON PARAMETER`). It
 * chooses the text and the number of its errors and of its log lines, so none is logged; errors that end its session are.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  temp_file_limit: '1GB',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/**
 * Sets what this server's user may set. A user who is no superuser also becomes a member of the login's role, and so may see
 * its sessions and end them.
 */
export function boundText(reader: string): string {
  const pairs = Object.entries(BOUNDS).map((pair) => `[${pair.map(quoteLiteral).join(', ')}]`);
  return `DO $$ DECLARE v text[]; BEGIN
    FOREACH v SLICE 1 IN ARRAY ARRAY[${pairs.join(', ')}] LOOP
      BEGIN
        EXECUTE format('ALTER ROLE %I SET %s = %L', ${quoteLiteral(reader)}, v[1], v[2]);
      EXCEPTION WHEN insufficient_privilege THEN NULL;
      END;
    END LOOP;
    IF NOT pg_has_role(${quoteLiteral(reader)}, 'USAGE') THEN GRANT ${quoteIdentifier(reader)} TO CURRENT_USER; END IF;
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END $$`;
}

/** Ends the sessions of a reader, for a new password or before its schema is dropped, if the service may end them. */
export async function endReaderSessions(sql: SqlRunner | TextRunner, reader: string): Promise<void> {
  await sql.unsafe(
    `DO $$ BEGIN
      PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${quoteLiteral(reader)};
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
  );
}

/** The logins that lack a bound which this server's user may set: those of an earlier version, or of a restored database. */
async function unboundReaders({ sql }: Database): Promise<string[]> {
  const rows = await sql<{ reader: string }[]>`
    SELECT d.reader FROM gleaner.databases d JOIN pg_roles r ON r.rolname = d.reader
    WHERE NOT coalesce(r.rolconfig, '{}') @> ARRAY(
      SELECT name || '=' || value FROM json_each_text(${toStorableJson(BOUNDS)}::json) b (name, value)
      WHERE has_parameter_privilege(name, 'SET'))`;
  return rows.map(({ reader }) => reader);
}

/**
 * Gives all logins the bounds of new ones, and ends the sessions of those that lacked some.
 * @returns how many lacked some
 */
export async function boundReaders(db: Database): Promise<number> {
  const [known] =
    await db.sql`SELECT 1 FROM gleaner.databases d JOIN pg_roles r ON r.rolname = d.reader LIMIT 1`;
  if (!known) return 0;
  await db.transact(async (tx) => void (await textRunner(tx).unsafe(CONFINE)));
  const readers = await unboundReaders(db);
  for (const reader of readers) {
    // A session may hold the role's row, so it ends before too.
    await endReaderSessions(db.sql, reader);
    await db.transact(async (tx) => void (await textRunner(tx).unsafe(boundText(reader))));
    await endReaderSessions(db.sql, reader);
  }
  return readers.length;
}
