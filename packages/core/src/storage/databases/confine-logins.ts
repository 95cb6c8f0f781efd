import type { TextRunner } from './sql-text.ts';

const LOCK_LOGINS = `PERFORM pg_advisory_xact_lock(hashtextextended('gleaner confine', 0))`;

/**
 * Waits for other transactions that change what logins may do, and keeps them waiting until this one ends: they write the
 * same rows of pg_database and pg_roles, and Postgres refuses the second writer ("tuple concurrently updated"). A
 * transaction that also locks a row of gleaner.databases locks that row first.
 */
export async function lockLogins(tx: TextRunner): Promise<void> {
  await tx.unsafe(`DO $$ BEGIN ${LOCK_LOGINS}; END $$`);
}

/**
 * Revokes from PUBLIC the default rights of every login: connecting to this database and to the two standard ones,
 * temporary tables, the public schema, and built-in functions that write (large objects, WAL messages) or block others
 * (advisory locks). Rights that this server's user may not revoke stay (docs/use/databases.md). Writes nothing when there is
 * nothing to revoke. The service and the database's owner keep the functions. A dump that was restored lost what earlier
 * logins were granted on the database, so they get it again when PUBLIC loses it.
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

/** Idempotent. Clones and dumps don't include database privileges, so this runs with every new login. */
export async function confineLogins(sql: TextRunner): Promise<void> {
  await sql.unsafe(CONFINE);
}
