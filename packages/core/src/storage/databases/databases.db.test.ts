import { AppError } from '@gleaner/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { createDatabase, deleteDatabase, dropTable, updateDatabase } from './change-databases.ts';
import { createDatabaseCredentials } from './reader-login.ts';
import { getDatabase, listDatabases } from './read-databases.ts';
import { listRows } from './read-rows.ts';
import { openSinkWriter } from '../sinks/sink-writer.ts';
import { readDatabase } from './database-record.ts';
import { createTestExternal, none, openTestDatabases } from './testing/test-databases.ts';

const { test, sql, ctx, stranger, toServices, createManaged, createProducts, close } =
  await openTestDatabases();
afterAll(close);

describe('a database', () => {
  it('has its own schema and a unique name, and only its account sees it', async () => {
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

  it('lists its tables with columns, key and row counts', async () => {
    const made = await createManaged('filled');
    await createProducts(made.id);
    await sql.unsafe(`INSERT INTO "${made.id}".products (_url, _fetched_at, _run_id, sku)
      SELECT 'http://' || n, now(), 'r', 's' FROM generate_series(1, 30) n`);
    const { tables } = await getDatabase(ctx, { ...none, params: { id: made.id } });
    expect(tables).toMatchObject([{ name: 'products', key: ['_url', 'sku'], rows: 30, rows_exact: true }]);
    expect(tables?.[0]?.columns[4]).toEqual({ name: 'price', type: 'double precision', nullable: true });
  });

  it('can be renamed, but not to a taken name, and a managed one rejects a connection URL', async () => {
    const made = await createManaged('before');
    const change = (body: { name?: string; connection_url?: string }) =>
      updateDatabase(ctx, { ...none, params: { id: made.id }, body });
    expect(await change({ name: 'after' })).toMatchObject({ id: made.id, name: 'after' });
    await expect(change({ name: 'filled' })).rejects.toMatchObject({ code: 'name_taken' });
    await expect(change({ connection_url: 'postgres://a@b/c' })).rejects.toMatchObject({
      options: { field: 'connection_url' },
    });
  });

  it('is created only once when several requests use the same name', async () => {
    const made = await Promise.all([createManaged(), createManaged(), createManaged()]);
    const renamed = await Promise.allSettled(
      made.map(({ id }) => updateDatabase(ctx, { ...none, params: { id }, body: { name: 'wanted' } })),
    );
    expect(renamed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of renamed)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'name_taken' });
  });

  it('can’t be deleted while unfinished work writes to it', async () => {
    const made = await createManaged();
    const run = await sql<{ id: string }[]>`
      INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, sink, retries, price, budget, total, last_served)
      VALUES ('bat_live', 1, ${ctx.accountId}, 'batch', 'running', 'database', 'q', '{}', '{}', ${JSON.stringify({ database: made.id })}::jsonb, 0, 1, 1, 1, 1) RETURNING id`;
    const remove = () => deleteDatabase(ctx, { ...none, params: { id: made.id } });
    await expect(remove()).rejects.toMatchObject({
      code: 'in_use',
      options: { detail: expect.stringContaining(run[0]?.id ?? '') as string },
    });
    await sql`UPDATE gleaner.runs SET state = 'cancelled'`;
    await remove();
  });

  it('can’t be deleted, nor its table dropped, while rows of runs that have ended are held back for it', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    const sink = JSON.stringify({ database: made.id, table: 'products' });
    await sql`
      INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, sink, retries, price, budget, total, last_served)
      VALUES ('run_held/list', 2, ${ctx.accountId}, 'stage', 'succeeded', 'database', 'q', '{}', '{}', ${sink}::text::jsonb, 0, 1, 1, 1, 1)`;
    await sql`
      INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
      VALUES (2, 0, ${ctx.accountId}, 'prs_1', 1, 'a.test', 'suspect', 'http://a.test/', '{}', 'odd', now())`;
    const drop = () => dropTable(ctx, { ...none, params: { id: made.id, table: 'products' } });
    const remove = () => deleteDatabase(ctx, { ...none, params: { id: made.id } });
    for (const state of ['suspect', 'held', 'releasing']) {
      await sql`UPDATE gleaner.quarantined_rows SET state = ${state}`;
      for (const attempt of [drop, remove])
        await expect(attempt()).rejects.toMatchObject({
          code: 'in_use',
          options: { detail: 'rows that are held back wait for it: run_held' },
        });
    }
    await sql`UPDATE gleaner.quarantined_rows SET state = 'discarded'`;
    await drop();
    await remove();
  });

  it('is deleted with its tables and its login', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    const { user } = await createDatabaseCredentials(ctx, { ...none, params: { id: made.id } });
    await sql.unsafe(
      `DO $$ BEGIN EXECUTE format('ALTER LARGE OBJECT %s OWNER TO "${user}"', lo_create(0)); END $$`,
    );
    await deleteDatabase(ctx, { ...none, params: { id: made.id } });
    const left = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${made.id}
      UNION ALL SELECT 1 FROM pg_roles WHERE rolname = ${`${made.id}_reader`}`;
    expect(left).toHaveLength(0);
  });
});

it('tables that several calls drop at once, with their database, are dropped or not there', async () => {
  const outcomes = new Set<unknown>();
  const note = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => outcomes.add('done'),
      (error: unknown) => outcomes.add(error instanceof AppError ? error.code : error),
    );
  for (let round = 0; round < 10; round += 1) {
    const { id } = await createManaged();
    await createProducts(id);
    const drop = () => dropTable(ctx, { ...none, params: { id, table: 'products' } });
    const read = () => getDatabase(ctx, { ...none, params: { id } });
    await Promise.all([note(drop()), note(drop()), note(read()), note(drop())]);
    await createProducts(id);
    const remove = () => deleteDatabase(ctx, { ...none, params: { id } });
    await Promise.all([note(drop()), note(remove()), note(read()), note(drop()), note(remove())]);
  }
  expect([...outcomes].toSorted()).toEqual(['done', 'not_found']);
});

it('drops any table of a managed database, those made without a mark too', async () => {
  const made = await createManaged();
  await createProducts(made.id);
  const drop = (table: string) => dropTable(ctx, { ...none, params: { id: made.id, table } });
  await drop('products');
  await expect(drop('products')).rejects.toMatchObject({ code: 'not_found' });
});

describe('an external database', () => {
  let names = 0;
  const create = (connectionUrl: string, name = `external ${(names += 1)}`) =>
    createDatabase(ctx, { ...none, body: { name, kind: 'postgres', connection_url: connectionUrl } });

  it('is tested, stored encrypted, and shown without its URL', async () => {
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
    ['postgres://a:b@h/d?host=/tmp', 'the parameter host is not supported'],
    ['postgres://a:b@h/d?sslmode=maybe', 'sslmode must be one of'],
    ['postgres://h/d', 'must name a user'],
    ['postgres://a:b@forbidden.example/d', 'target not allowed'],
    ['postgres://a:b@127.0.0.1:65535/d', 'connection refused'],
    ['postgres://a:b@127.0.0.1:25/d', 'another protocol'],
    ['postgres://a:b@127.0.0.1:6379/d', 'another protocol'],
    ['postgres://x%0D%0AHELO:b@127.0.0.1/d', 'control characters'],
    ['postgres://a:b%0Ac@127.0.0.1/d', 'control characters'],
    ['postgres://a:b@127.0.0.1/d%09e', 'control characters'],
  ])('at %s is refused', async (url, reason) => {
    await expect(create(url)).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'connection_url', detail: expect.stringContaining(reason) as string },
    });
  });

  it('says how a host that may not be reached can be allowed', async () => {
    await expect(create('postgres://a:b@forbidden.example/d')).rejects.toMatchObject({
      options: { hint: 'Ask.' },
    });
  });

  it('reports an unknown database, an unknown user or missing TLS', async () => {
    const change = (part: 'pathname' | 'username' | 'search', value: string): string => {
      const url = new URL(test.url);
      url[part] = value;
      return url.href;
    };
    for (const [url, reason] of [
      [change('pathname', '/nowhere'), 'the database does not exist'],
      [change('username', 'nobody'), 'it refused the user or password'],
      [change('search', '?sslmode=require'), 'TLS'],
    ] as const) {
      await expect(create(url)).rejects.toMatchObject({
        options: { field: 'connection_url', detail: expect.stringContaining(reason) as string },
      });
    }
  });

  it('is rejected with a wrong password, or without the requested TLS', async () => {
    const wrong = new URL(test.url);
    wrong.password = 'wrong';
    await expect(create(wrong.href)).rejects.toMatchObject({
      options: { detail: expect.stringContaining('refused the user or password') as string },
    });
    const strict = new URL(test.url);
    strict.searchParams.set('sslmode', 'verify-full');
    await expect(create(strict.href)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('keeps its owner’s tables, even similar ones, and drops tables that a sink created', async () => {
    const made = await create(test.url);
    const drop = (table: string) => dropTable(ctx, { ...none, params: { id: made.id, table } });
    const write = async (table: string): Promise<void> => {
      const writer = await openSinkWriter(
        { db: test.db, external: ctx.services.external },
        {
          accountId: ctx.accountId,
          runId: 'job_1',
          sink: { mode: 'database', database: made.id, table, contract: 'evolve', nulls: 'keep' },
          columns: [{ name: 'sku', type: 'text', nullable: false, key: true }],
        },
      );
      await writer.prepare();
    };
    await sql`CREATE TABLE customers (sku text PRIMARY KEY)`;
    await sql`INSERT INTO customers SELECT 's' || n FROM generate_series(1, 11) n`;
    await write('customers');
    await sql`CREATE TABLE lookalike (_url text, _fetched_at timestamptz, _run_id text, sku text PRIMARY KEY)`;
    await write('products');
    for (const table of ['customers', 'lookalike']) {
      await expect(drop(table)).rejects.toMatchObject({
        code: 'invalid_request',
        options: { field: 'table', detail: expect.stringContaining(table) as string },
      });
    }
    expect(await sql`SELECT count(*)::int AS n, count(_url)::int AS urls FROM customers`).toEqual([
      { n: 11, urls: 0 },
    ]);
    await drop('products');
    await expect(drop('products')).rejects.toMatchObject({ code: 'not_found' });
    await deleteDatabase(ctx, { ...none, params: { id: made.id } });
  });

  it('returns values in the same format for all settings and rights of its user', async () => {
    const user = `guest_${process.pid}`;
    const name = new URL(test.url).pathname.slice(1);
    await sql.unsafe(`CREATE ROLE ${user} LOGIN PASSWORD 'guest';
      ALTER ROLE ${user} SET DateStyle = 'German'; ALTER ROLE ${user} SET extra_float_digits = -5;
      GRANT CONNECT ON DATABASE ${name} TO ${user};
      CREATE SCHEMA guests; GRANT USAGE ON SCHEMA guests TO ${user}; ALTER ROLE ${user} SET search_path = guests;
      CREATE TABLE guests.thirds (id int PRIMARY KEY, third real, since date);
      INSERT INTO guests.thirds SELECT n, n / 3.0, date '2026-01-31' FROM generate_series(1, 9) n;
      GRANT SELECT ON guests.thirds TO ${user};
      CREATE TABLE guests.hidden (third int PRIMARY KEY)`);
    const url = new URL(test.url);
    url.username = user;
    url.password = 'guest';
    const { id } = await create(url.href);
    const { tables } = await getDatabase(ctx, { ...none, params: { id } });
    expect(tables?.map(({ name, rows, rows_exact: exact }) => [name, rows, exact])).toEqual([
      ['hidden', null, false],
      ['thirds', 9, true],
    ]);
    const read = (table: string, cursor?: string) =>
      listRows(ctx, { ...none, params: { id, table }, query: { limit: 4, order_by: 'third', cursor } });
    await expect(read('hidden')).rejects.toMatchObject({ options: { field: 'table' } });
    const seen: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 3; page += 1) {
      const { rows, pagination } = await read('thirds', cursor);
      seen.push(...rows.map((row) => row['id']));
      expect(rows[0]).toMatchObject({ since: '2026-01-31' });
      cursor = pagination.cursor ?? undefined;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await sql.unsafe(`REVOKE CONNECT ON DATABASE ${name} FROM ${user}`);
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${user}`;
    // The first to ask may still meet the session that is ending.
    await expect
      .poll(() => getDatabase(ctx, { ...none, params: { id } }))
      .toMatchObject({
        tables: null,
        problem: expect.stringContaining('permission denied for database') as string,
      });
    await deleteDatabase(ctx, { ...none, params: { id } });
    await sql.unsafe(`DROP SCHEMA guests CASCADE; DROP OWNED BY ${user}; DROP ROLE ${user}`);
  });

  it('its new URL goes on when work at the one before fails late', async () => {
    const made = await create(test.url);
    const { external } = ctx.services;
    const row = await readDatabase(test.db.orm, { accountId: ctx.accountId, id: made.id });
    const renewed = { ...row, updatedAt: new Date().toISOString() };
    const sleep = (seconds: number) =>
      ({ mode: 'read only', statements: [{ text: `SELECT pg_sleep(${seconds})::text AS slept` }] }) as const;
    const late = external.run(row, {
      mode: 'read only',
      statements: [...sleep(0.3).statements, { text: 'SELECT pg_terminate_backend(pg_backend_pid())' }],
    });
    const early = external.run(renewed, sleep(0.6));
    await expect(late).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect((await early).rows).toEqual([[{ slept: '' }]]);
    await deleteDatabase(ctx, { ...none, params: { id: made.id } });
  });

  it('shows a problem and no rows when it is unavailable', async () => {
    const made = await create(test.url);
    const other = createTestExternal(() => ({ address: '127.0.0.1', port: 1 }));
    const away = { ...ctx, services: toServices(other) };
    const found = await getDatabase(away, { ...none, params: { id: made.id } });
    expect(found).toMatchObject({
      tables: null,
      problem: expect.stringContaining('connection refused') as string,
    });
    await expect(
      listRows(away, { ...none, params: { id: made.id, table: 'x' }, query: { limit: 1 } }),
    ).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    await other.close();
  });
});
