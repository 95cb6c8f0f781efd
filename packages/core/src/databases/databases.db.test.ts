import { AppError } from '@gleaner/contracts';
import { createTestDatabase } from '@gleaner/db/testing';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../accounts/create-account.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Context } from '../context.ts';
import { createLogger } from '../log.ts';
import {
  createDatabase,
  createDatabaseCredentials,
  createExternalDatabases,
  deleteDatabase,
  dropTable,
  exportTable,
  getDatabase,
  listDatabases,
  listRows,
  updateDatabase,
  type DatabaseServices,
} from './index.ts';

const test = await createTestDatabase();
const { sql } = test.db;
const secretKey = '5'.repeat(64);
const external = createExternalDatabases({
  secretKey,
  resolveEgress: (host, port) =>
    host === 'forbidden.example'
      ? Promise.reject(new AppError('fetch_failed', { detail: 'target not allowed' }))
      : Promise.resolve({ address: host, port }),
});
afterAll(async () => {
  await external.close();
  await test.close();
});

const log = createLogger('test', 'silent');
const services = {
  config: loadConfig({ GLEANER_SECRET_KEY: secretKey }),
  db: test.db,
  log,
  now: () => new Date(),
  external,
} as unknown as DatabaseServices;

const contextOf = (accountId: string): Context<DatabaseServices> => ({
  services,
  accountId,
  keyId: 'key',
  requestId: 'req',
  log,
  signal: new AbortController().signal,
});

const ctx = contextOf((await createAccount(test.db, { name: 'one', credits: 0 })).account.id);
const stranger = contextOf((await createAccount(test.db, { name: 'two', credits: 0 })).account.id);
const none = { params: undefined, query: undefined, body: undefined, upload: undefined };

let names = 0;
const createManaged = (name = `managed ${(names += 1)}`, by = ctx) =>
  createDatabase(by, { ...none, body: { name, kind: 'managed' } });

const rowsOf = (
  id: string,
  query: { order_by?: string; filter?: unknown; cursor?: string; limit?: number },
) =>
  listRows(ctx, {
    ...none,
    params: { id, table: 'products' },
    query: {
      ...query,
      limit: query.limit ?? 100,
      filter: query.filter === undefined ? undefined : JSON.stringify(query.filter),
    },
  });

const exported = async (id: string, format: 'csv' | 'ndjson', table = 'products'): Promise<string> => {
  const answer = await exportTable(ctx, { ...none, params: { id, table }, query: { format } });
  let text = '';
  for await (const part of answer.stream) text += String(part);
  return text;
};

const createProducts = (schema: string): Promise<unknown> =>
  sql.unsafe(`CREATE TABLE "${schema}".products (
    _url text NOT NULL, _fetched_at timestamptz NOT NULL, _run_id text NOT NULL,
    sku text NOT NULL, price double precision, stock bigint, sale boolean, since date, tags jsonb, PRIMARY KEY (_url, sku))`);

const filled = await createManaged('filled');
beforeAll(async () => {
  await createProducts(filled.id);
  await sql.unsafe(`INSERT INTO "${filled.id}".products
    SELECT 'http://shop/' || (n / 3), '2026-01-01T00:00:00.123456Z', 'job_1', 'S' || n, CASE WHEN n % 4 = 0 THEN NULL ELSE (n % 5)::float8 END,
      n, n % 2 = 0, date '2026-01-01' + n, jsonb_build_object('n', n, 'colour', CASE WHEN n % 2 = 0 THEN 'red' ELSE 'blue' END)
    FROM generate_series(0, 29) n`);
});

describe('a database', () => {
  it('has a schema of its own, a name that is free, and is seen by its account alone', async () => {
    const made = await createManaged('mine');
    expect(made).toMatchObject({ kind: 'managed', schema: made.id, host: null });
    const schemas = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${made.id}`;
    expect(schemas).toHaveLength(1);
    await expect(createManaged('mine')).rejects.toMatchObject({ code: 'name_taken' });
    await createManaged('mine', stranger);
    const list = await listDatabases(stranger, { ...none, query: { limit: 20 } });
    expect(list.databases.map((one) => one.name)).toEqual(['mine']);
    for (const attempt of [
      () => getDatabase(stranger, { ...none, params: { id: made.id } }),
      () => deleteDatabase(stranger, { ...none, params: { id: made.id } }),
      () => createDatabaseCredentials(stranger, { ...none, params: { id: made.id } }),
      () => updateDatabase(stranger, { ...none, params: { id: made.id }, body: { name: 'x' } }),
      () => getDatabase(stranger, { ...none, params: { id: 'db_none' } }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found', options: {} });
    }
  });

  it('tells its tables with columns, key and row counts', async () => {
    const { tables } = await getDatabase(ctx, { ...none, params: { id: filled.id } });
    expect(tables).toMatchObject([{ name: 'products', key: ['_url', 'sku'], rows: 30, rows_exact: true }]);
    expect(tables?.[0]?.columns[4]).toEqual({ name: 'price', type: 'double precision', nullable: true });
  });

  it('is renamed, and refuses a taken name or a connection that a managed one has not', async () => {
    const made = await createManaged('before');
    const change = (body: { name?: string; connection_url?: string }) =>
      updateDatabase(ctx, { ...none, params: { id: made.id }, body });
    expect(await change({ name: 'after' })).toMatchObject({ id: made.id, name: 'after' });
    await expect(change({ name: 'filled' })).rejects.toMatchObject({ code: 'name_taken' });
    await expect(change({ connection_url: 'postgres://a@b/c' })).rejects.toMatchObject({
      options: { field: 'connection_url' },
    });
  });

  it('stays while unfinished work writes to it', async () => {
    const made = await createManaged();
    const run = await sql<{ id: string }[]>`
      INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, sink, retries, price, budget, total, turn)
      VALUES ('bat_live', 1, ${ctx.accountId}, 'batch', 'running', 'database', 'q', '{}', '{}', ${JSON.stringify({ database: made.id })}::jsonb, 0, 1, 1, 1, 1) RETURNING id`;
    const remove = () => deleteDatabase(ctx, { ...none, params: { id: made.id } });
    await expect(remove()).rejects.toMatchObject({
      code: 'in_use',
      options: { detail: expect.stringContaining(run[0]?.id ?? '') as string },
    });
    await sql`UPDATE gleaner.runs SET state = 'cancelled'`;
    await remove();
  });

  it('goes with its tables and its login', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    await createDatabaseCredentials(ctx, { ...none, params: { id: made.id } });
    await deleteDatabase(ctx, { ...none, params: { id: made.id } });
    const left = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${made.id}
      UNION ALL SELECT 1 FROM pg_roles WHERE rolname = ${`${made.id}_reader`}`;
    expect(left).toHaveLength(0);
  });
});

describe('rows', () => {
  it('come page by page in any order, each exactly once', async () => {
    for (const orderBy of [undefined, 'price', '-price', '-stock', 'since', 'sale', 'sku', '_fetched_at']) {
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await rowsOf(filled.id, { order_by: orderBy, cursor, limit: 7 });
        seen.push(...page.rows.map((row) => row['sku']));
        cursor = page.pagination.cursor ?? undefined;
      } while (cursor !== undefined);
      expect(new Set(seen).size, orderBy).toBe(30);
      expect(seen, orderBy).toHaveLength(30);
    }
  });

  it('are ordered with nulls last, in both directions', async () => {
    const prices = async (orderBy: string) =>
      (await rowsOf(filled.id, { order_by: orderBy })).rows.map((row) => row['price']);
    const numbers = (await prices('price')).slice(0, 22) as number[];
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect((await prices('price')).slice(22)).toEqual(Array.from({ length: 8 }, () => null));
    expect((await prices('-price')).slice(22)).toEqual(Array.from({ length: 8 }, () => null));
    expect((await prices('-price'))[0]).toBe(4);
  });

  it('are given as JSON of their types', async () => {
    const { rows } = await rowsOf(filled.id, { filter: { sku: 'S1' } });
    expect(rows).toEqual([
      {
        _url: 'http://shop/0',
        _fetched_at: '2026-01-01T00:00:00.123Z',
        _run_id: 'job_1',
        sku: 'S1',
        price: 1,
        stock: 1,
        sale: false,
        since: '2026-01-02',
        tags: { n: 1, colour: 'blue' },
      },
    ]);
  });

  it.each([
    [{ price: { gte: 3, lt: 4 } }, 4],
    [{ price: 4 }, 4],
    [{ price: null }, 8],
    [{ price: { ne: null } }, 22],
    [{ price: { is_null: false }, sale: true }, 7],
    [{ sku: ['S1', 'S2', "'; DROP TABLE products --", 'a"{},\\'] }, 2],
    [{ sku: { starts_with: 'S1' } }, 11],
    [{ sku: { contains: 's2' } }, 11],
    [{ sku: { contains: '%' } }, 0],
    [{ since: { gt: '2026-01-25' } }, 5],
    [{ _fetched_at: { lte: '2026-01-01T01:00:00+01:00' } }, 0],
    [{ _fetched_at: { lte: '2026-01-01T01:00:00.2+01:00' } }, 30],
    [{ tags: { contains: { colour: 'red' } } }, 15],
    [{ stock: { in: [1, 2.5, 3] } }, 2],
    [{ sale: { ne: true } }, 15],
  ])('are filtered by %j', async (filter, count) => {
    expect((await rowsOf(filled.id, { filter })).rows).toHaveLength(count);
  });

  it.each([
    [{ filter: { nope: 1 } }, 'filter.nope'],
    [{ filter: { __proto__: 1, '"; --': 1 } }, 'filter."; --'],
    [{ filter: { price: 'cheap' } }, 'filter.price.eq'],
    [{ filter: { price: { like: 1 } } }, 'filter.price.like'],
    [{ filter: { price: { constructor: 1 } } }, 'filter.price.constructor'],
    [{ filter: { price: {} } }, 'filter.price'],
    [{ filter: { price: [] } }, 'filter.price.in'],
    [{ filter: { sale: 'true' } }, 'filter.sale.eq'],
    [{ filter: { sale: { gt: true } } }, 'filter.sale.gt'],
    [{ filter: { since: '2026-02-30' } }, 'filter.since.eq'],
    [{ filter: { price: { is_null: 1 } } }, 'filter.price.is_null'],
    [{ filter: { price: { gt: null } } }, 'filter.price.gt'],
    [{ filter: [1] }, 'filter'],
    [{ order_by: 'nope' }, 'order_by'],
    [{ order_by: 'tags' }, 'order_by'],
    [{ cursor: 'nope' }, 'cursor'],
    [{ cursor: Buffer.from('["","a"]').toString('base64url') }, 'cursor'],
    [{ cursor: Buffer.from('["price","a","b"]').toString('base64url') }, 'cursor'],
    [{ order_by: 'price', cursor: Buffer.from('["price","x","a","b"]').toString('base64url') }, 'cursor'],
  ])('are refused for %j, naming the field', async (query, field) => {
    await expect(rowsOf(filled.id, query)).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field },
    });
  });
});

describe('an export', () => {
  it('is NDJSON of every row, over many pages', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    await sql.unsafe(`INSERT INTO "${made.id}".products (_url, _fetched_at, _run_id, sku)
      SELECT 'http://' || n, now(), 'r', repeat('x', 500) FROM generate_series(1, 9000) n`);
    const lines = (await exported(made.id, 'ndjson')).trimEnd().split('\n');
    expect(new Set(lines.map((line) => (JSON.parse(line) as { _url: string })._url)).size).toBe(9000);
    expect(lines).toHaveLength(9000);
  });

  it('as CSV holds no formula, and leaves numbers alone', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    const cells = [
      '=1+1',
      '+49 123',
      '-5',
      '+1.5e3',
      '@SUM(A1)',
      '\tx',
      '\r=x',
      '-2+3',
      '＝1',
      'a=b',
      'say "hi", you',
    ];
    for (const [index, sku] of cells.entries())
      await sql`INSERT INTO ${sql(made.id)}.products (_url, _fetched_at, _run_id, sku, price, tags)
        VALUES (${String(index + 10)}, '2026-01-01Z', 'r', ${sku}, -1.5, '["=1"]')`;
    const csv = await exported(made.id, 'csv');
    const [head, ...lines] = csv.trimEnd().split(/\n(?=\d\d,)/);
    expect(head).toBe('_url,_fetched_at,_run_id,sku,price,stock,sale,since,tags');
    const skus = lines.map((line) => line.split(',2026-01-01T00:00:00.000Z,r,')[1]?.split(',-1.5,')[0]);
    expect(skus).toEqual([
      "'=1+1",
      "'+49 123",
      '-5',
      '+1.5e3',
      "'@SUM(A1)",
      "'\tx",
      `"'\r=x"`,
      "'-2+3",
      "'＝1",
      'a=b',
      '"say ""hi"", you"',
    ]);
  });

  it('reads no further than the client takes', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    await sql.unsafe(`INSERT INTO "${made.id}".products (_url, _fetched_at, _run_id, sku)
      SELECT 'http://' || n, now(), 'r', 's' FROM generate_series(1, 1000) n`);
    const answer = await exportTable(ctx, {
      ...none,
      params: { id: made.id, table: 'products' },
      query: { format: 'ndjson' },
    });
    const parts = answer.stream[Symbol.asyncIterator]();
    await parts.next();
    await sql.unsafe(`DELETE FROM "${made.id}".products`);
    const rest = await parts.next();
    expect(String(rest.value ?? '')).toBe('');
  });
});

it('drops a table that a sink made', async () => {
  const made = await createManaged();
  await createProducts(made.id);
  const drop = (table: string) => dropTable(ctx, { ...none, params: { id: made.id, table } });
  await drop('products');
  await expect(drop('products')).rejects.toMatchObject({ code: 'not_found' });
  await sql.unsafe(`CREATE TABLE "${made.id}".own (id int)`);
  await expect(drop('own')).rejects.toMatchObject({ options: { field: 'table' } });
});

describe('an external database', () => {
  const create = (connectionUrl: string, name = `external ${(names += 1)}`) =>
    createDatabase(ctx, { ...none, body: { name, kind: 'postgres', connection_url: connectionUrl } });

  it('is tried, stored encrypted, and shown without its URL', async () => {
    const made = await create(test.url);
    expect(JSON.stringify(made)).not.toContain(new URL(test.url).password);
    expect(made.host).toMatch(/^127\.0\.0\.1:\d+\/test_/);
    const [row] = await sql<{ connection: Buffer }[]>`
      SELECT connection FROM gleaner.databases WHERE id = ${made.id}`;
    expect(row?.connection.toString('latin1')).not.toContain('postgres');
    const found = await getDatabase(ctx, { ...none, params: { id: made.id } });
    expect(found.problem).toBeNull();
    await deleteDatabase(ctx, { ...none, params: { id: made.id } });
  });

  it.each([
    ['http://a:b@c/d', 'must start with'],
    ['postgres://a:b@h1,h2/d', 'must name one host'],
    ['postgres://a:b@/d?host=/tmp', 'not a URL'],
    ['postgres://a:b@h/d?host=/tmp', 'the parameter host is not taken'],
    ['postgres://a:b@h/d?sslmode=maybe', 'sslmode must be one of'],
    ['postgres://h/d', 'must name a user'],
    ['postgres://a:b@forbidden.example/d', 'target not allowed'],
    ['postgres://a:b@127.0.0.1:1/d', 'it did not answer'],
  ])('at %s is refused', async (url, reason) => {
    await expect(create(url)).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'connection_url', detail: expect.stringContaining(reason) as string },
    });
  });

  it('with a wrong password or without TLS where it is asked for is refused', async () => {
    const wrong = new URL(test.url);
    wrong.password = 'wrong';
    await expect(create(wrong.href)).rejects.toMatchObject({
      options: { detail: expect.stringContaining('refused the user or password') as string },
    });
    const strict = new URL(test.url);
    strict.searchParams.set('sslmode', 'verify-full');
    await expect(create(strict.href)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that went away is told as a problem, and its rows as unavailable', async () => {
    const made = await create(test.url);
    await external.close();
    const other = createExternalDatabases({
      secretKey,
      resolveEgress: () => Promise.resolve({ address: '127.0.0.1', port: 1 }),
    });
    const away = { ...ctx, services: { ...services, external: other } };
    const found = await getDatabase(away, { ...none, params: { id: made.id } });
    expect(found).toMatchObject({
      tables: null,
      problem: expect.stringContaining('did not answer') as string,
    });
    await expect(
      listRows(away, { ...none, params: { id: made.id, table: 'x' }, query: { limit: 1 } }),
    ).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    await other.close();
  });
});

describe('the read-only login of a managed database', async () => {
  const made = await createManaged();
  await createProducts(made.id);
  const create = () => createDatabaseCredentials(ctx, { ...none, params: { id: made.id } });
  const connect = (user: string, password: string, database = sql.options.database) =>
    postgres({
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

  it('reads the tables of its schema, those made later included', async () => {
    await sql.unsafe(`CREATE TABLE "${made.id}".later (a int); INSERT INTO "${made.id}".later VALUES (1)`);
    expect(await reader`SELECT a FROM later`).toEqual([{ a: 1 }]);
    expect(await reader`SELECT count(*)::int AS n FROM products`).toEqual([{ n: 0 }]);
  });

  it.each([
    'SELECT * FROM gleaner.accounts',
    'SELECT * FROM gleaner.api_keys',
    `SELECT * FROM "${filled.id}".products`,
    'SELECT * FROM pg_authid',
    'SELECT * FROM pg_shadow',
    'SELECT * FROM pg_hba_file_rules',
    "SELECT engine.create_id('x')",
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

  it('sees no statements of others and no columns’ statistics', async () => {
    await sql`ANALYZE gleaner.accounts`;
    expect(await reader`SELECT * FROM pg_stats WHERE schemaname = 'gleaner'`).toHaveLength(0);
    const shown = await reader<
      { query: string }[]
    >`SELECT DISTINCT query FROM pg_stat_activity WHERE usename <> current_user`;
    expect(shown.map((row) => row.query)).toEqual(['<insufficient privilege>']);
  });

  it('begins read-only, with a limit on time', async () => {
    const fresh = connect(login.user, login.password);
    expect(await fresh`SHOW transaction_read_only`).toEqual([{ transaction_read_only: 'on' }]);
    expect(await fresh`SHOW statement_timeout`).toEqual([{ statement_timeout: '1min' }]);
    await fresh.end({ timeout: 1 });
  });

  it('gets a new password when asked for again: the old one and its sessions end', async () => {
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
});
