import { ENGINE } from '@gleaner/db';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { createDatabaseCredentials } from './reader-login.ts';
import { deleteDatabase } from './change-databases.ts';
import { none, openTestDatabases } from './testing/test-databases.ts';

const { sql, ctx, createManaged, createProducts, close } = await openTestDatabases();
afterAll(close);

describe('the read-only login of a managed database', async () => {
  const made = await createManaged();
  const filled = await createManaged();
  await createProducts(filled.id);
  await createProducts(made.id);
  const create = () => createDatabaseCredentials(ctx, { ...none, params: { id: made.id } });
  const connect = (
    user: string,
    password: string,
    database = sql.options.database,
    connection: Record<string, string> = {},
  ) =>
    postgres({
      connection,
      host: sql.options.host[0],
      port: sql.options.port[0],
      database,
      user,
      password,
      max: 1,
      onnotice: () => undefined,
    });
  const login = await create();
  const owner = sql.options.user;
  const reader = connect(login.user, login.password);
  afterAll(() => reader.end({ timeout: 1 }));

  it('reads the tables of its schema, including later ones', async () => {
    await sql.unsafe(`CREATE TABLE "${made.id}".later (a int); INSERT INTO "${made.id}".later VALUES (1)`);
    expect(await reader`SELECT a FROM later`).toEqual([{ a: 1 }]);
    expect(await reader`SELECT count(*)::int AS n FROM products`).toEqual([{ n: 0 }]);
  });

  it('still connects after a restore that lost the rights on the database, when another login is made', async () => {
    const database = sql.options.database;
    await sql.unsafe(`GRANT CONNECT ON DATABASE "${database}" TO PUBLIC;
      REVOKE CONNECT ON DATABASE "${database}" FROM "${login.user}"`);
    await createDatabaseCredentials(ctx, { ...none, params: { id: filled.id } });
    const again = connect(login.user, login.password);
    expect(await again`SELECT count(*)::int AS n FROM products`).toEqual([{ n: 0 }]);
    await again.end();
  });

  it.each([
    'SELECT * FROM gleaner.accounts',
    'SELECT * FROM gleaner.api_keys',
    `SELECT * FROM "${filled.id}".products`,
    'SELECT * FROM pg_authid',
    'SELECT * FROM pg_shadow',
    'SELECT * FROM pg_hba_file_rules',
    `SELECT ${ENGINE}.create_id('x')`,
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('.')",
    "COPY products TO PROGRAM 'id'",
    "COPY products TO '/tmp/x'",
    `INSERT INTO products (_url, _fetched_at, _run_id, sku) VALUES ('a', now(), 'r', 's')`,
    'UPDATE products SET sku = sku',
    'DELETE FROM products',
    'TRUNCATE products',
    'DROP TABLE products',
    'DO $$ BEGIN LOCK TABLE products IN EXCLUSIVE MODE; END $$',
    `CREATE TABLE "${made.id}".mine (a int)`,
    'CREATE TABLE public.mine (a int)',
    'CREATE TEMP TABLE mine (a int)',
    'CREATE SCHEMA mine',
    'CREATE EXTENSION dblink',
    'CREATE ROLE mine',
    'CREATE DATABASE mine',
    'SELECT lo_create(0)',
    "SELECT lo_from_bytea(0, 'x')",
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_try_advisory_xact_lock(1)',
    "SELECT pg_logical_emit_message(false, 'a', 'b')",
    'SELECT pg_partition_tree(1)',
    'SET temp_file_limit = -1',
    'SET log_min_messages = log',
    "SELECT set_config('log_min_messages', 'log', false)",
    "SET log_min_error_statement = 'error'",
    "SET log_error_verbosity = 'verbose'",
    `ALTER ROLE "${login.user}" SET log_min_messages = log`,
    `ALTER ROLE "${login.user}" RESET log_min_messages`,
    `ALTER ROLE "${login.user}" IN DATABASE "${sql.options.database}" SET log_min_messages = log`,
    'SELECT pg_reload_conf()',
    `SET ROLE "${owner}"`,
    `SET SESSION AUTHORIZATION "${owner}"`,
    `ALTER ROLE "${login.user}" SUPERUSER`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${owner}'`,
    `GRANT "${owner}" TO "${login.user}"`,
  ])('may not, even when it turns read-only off: %s', async (statement) => {
    await reader`SET default_transaction_read_only = off`;
    await expect(reader.unsafe(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|0LP01|3F000|42883)$/) as string,
    });
  });

  it('may not connect to the databases that every server has', async () => {
    for (const database of ['postgres', 'template1']) {
      const other = connect(login.user, login.password, database);
      await expect(other`SELECT 1`).rejects.toMatchObject({ code: '42501' });
      await other.end({ timeout: 1 });
    }
  });

  it('can’t see statements of others or statistics of columns', async () => {
    await sql`ANALYZE gleaner.accounts`;
    expect(await reader`SELECT * FROM pg_stats WHERE schemaname = 'gleaner'`).toHaveLength(0);
    const shown = await reader<
      { query: string }[]
    >`SELECT DISTINCT query FROM pg_stat_activity WHERE usename <> current_user`;
    expect(shown.map((row) => row.query)).toEqual(['<insufficient privilege>']);
  });

  it('starts read-only, with a time limit', async () => {
    const fresh = connect(login.user, login.password);
    expect(await fresh`SHOW transaction_read_only`).toEqual([{ transaction_read_only: 'on' }]);
    expect(await fresh`SHOW statement_timeout`).toEqual([{ statement_timeout: '1min' }]);
    await fresh.end({ timeout: 1 });
  });

  it('gets a new password on request, which ends the old one and its sessions', async () => {
    const renewed = await create();
    expect(renewed.user).toBe(login.user);
    expect(renewed.password).not.toBe(login.password);
    const old = connect(login.user, login.password);
    await expect(old`SELECT 1`).rejects.toMatchObject({ code: '28P01' });
    await old.end({ timeout: 1 });
    const fresh = postgres(renewed.connection_url, { max: 1 });
    expect(await fresh`SELECT count(*)::int AS n FROM products`).toEqual([{ n: 0 }]);
    await fresh.end({ timeout: 1 });
  });

  it('writes nothing to the server’s log, whatever it resets', async () => {
    const { user, password } = await create();
    const resetting = connect(user, password);
    await resetting.unsafe('SET default_transaction_read_only = off');
    await resetting.unsafe(`ALTER ROLE "${user}" RESET ALL`);
    await resetting.unsafe('RESET ALL');
    await resetting.end({ timeout: 1 });
    const fresh = connect(user, password);
    // Between errors and LOG alike, and what ends a session.
    expect(await fresh`SHOW log_min_messages`).toEqual([{ log_min_messages: 'fatal' }]);
    expect(await fresh`SHOW temp_file_limit`).toEqual([{ temp_file_limit: '1GB' }]);
    await fresh.end({ timeout: 1 });
    const options = connect(user, password, sql.options.database, { log_min_messages: 'log' });
    await expect(options`SELECT 1`).rejects.toMatchObject({ code: '42501' });
  });
});

it('many databases with logins are deleted at once, beside logins being made', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => createManaged()));
  for (const { id } of made) await createDatabaseCredentials(ctx, { ...none, params: { id } });
  const others = await Promise.all(Array.from({ length: 4 }, () => createManaged()));
  await Promise.all([
    ...made.map(({ id }) => deleteDatabase(ctx, { ...none, params: { id } })),
    ...others.map(({ id }) => createDatabaseCredentials(ctx, { ...none, params: { id } })),
  ]);
  const left = await sql<{ rolname: string }[]>`
    SELECT rolname FROM pg_roles WHERE rolname = ANY(${made.map(({ id }) => `${id}_reader`)})`;
  expect(left).toEqual([]);
});
