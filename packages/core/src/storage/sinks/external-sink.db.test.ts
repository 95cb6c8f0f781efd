import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { StoredError } from '@gleaner/contracts';
import { createElsewhere, createTestDatabase } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { createAccount } from '../../accounts/change-accounts.ts';
import { connectionPlace, createExternalDatabases } from '../external/external-databases.ts';
import { createId } from '../../platform/ids.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { openSinkWriter, type SinkWriter } from './sink-writer.ts';
import type { SinkColumn } from '../columns/columns.ts';
import { runTransaction } from '../external/foreign-transaction.ts';
import { writeRowsApart } from './write-rows.ts';

const test = await createTestDatabase();
const elsewhere = await createElsewhere();
const secretKey = '3'.repeat(64);
const external = createExternalDatabases({
  secretKey,
  resolveEgress: (host, port) => Promise.resolve({ address: host, port }),
});
afterAll(async () => {
  await external.close();
  await test.close();
  await elsewhere.close();
});
const { account } = await createAccount(test.db, { name: 'external', credits: 0 });
const theirs = elsewhere.db.sql;

async function createExternal(url: string): Promise<string> {
  const id = createId('database');
  const connection = seal(url, { secretKey, place: connectionPlace(id) });
  await test.db.sql`INSERT INTO gleaner.databases (id, account_id, name, kind, connection, host)
    VALUES (${id}, ${account.id}, ${id}, 'postgres', ${connection}, 'there')`;
  return id;
}
const database = await createExternal(elsewhere.url);

const columns = (['sku:text', 'price:double precision', 'tags:jsonb'] as const).map((text): SinkColumn => {
  const [name = '', type] = text.split(':');
  return {
    name,
    type: type === 'jsonb' || type === 'text' ? type : 'double precision',
    nullable: true,
    key: name === 'sku',
  };
});

function open(table: string, id = database): Promise<SinkWriter> {
  return openSinkWriter(
    { db: test.db, external },
    {
      accountId: account.id,
      runId: 'job_1',
      sink: { mode: 'database', database: id, table, contract: 'evolve', nulls: 'keep' },
      columns,
    },
  );
}

function rowsOf(writer: SinkWriter, data: readonly Record<string, unknown>[], at = Date.now()) {
  return data.map((one) => {
    const made = writer.toRows({ url: 'http://a/', fetchedAt: new Date(at).toISOString(), data: one });
    const [row] = 'rows' in made ? made.rows : [];
    if (!row) throw new Error('no row');
    return row;
  });
}

it('creates the table there and upserts into it idempotently', async () => {
  const writer = await open('products');
  expect(writer.kind).toBe('postgres');
  await writer.prepare();
  const rows = rowsOf(writer, [
    { sku: 'a', price: 1.5, tags: ['x', { y: '"\\' }] },
    { sku: 'b', price: null, tags: null },
  ]);
  await writer.writeExternal(rows);
  await writer.writeExternal(rows);
  expect(await theirs`SELECT sku, price, tags FROM products ORDER BY sku`).toEqual([
    { sku: 'a', price: 1.5, tags: ['x', { y: '"\\' }] },
    { sku: 'b', price: null, tags: null },
  ]);
});

it('counts the rows in which a value of an earlier fetch stayed', async () => {
  const writer = await open('kept');
  await writer.prepare();
  const keptBy = async (...data: Record<string, unknown>[]): Promise<number> => {
    let kept = 0;
    await writer.writeExternal(rowsOf(writer, data), (counts) => {
      kept += counts.kept ?? 0;
    });
    return kept;
  };
  const full = (sku: string) => ({ sku, price: 1, tags: ['x'] });
  expect(await keptBy(full('a'), full('b'), { sku: 'c', price: null, tags: null })).toBe(0);
  // The row that had nothing keeps nothing, and one with all values replaces them.
  expect(
    await keptBy({ sku: 'a', price: 2, tags: null }, full('b'), { sku: 'c', price: null, tags: ['y'] }),
  ).toBe(1);
  expect(await keptBy({ sku: 'd', price: null, tags: null })).toBe(0);
  expect(await theirs`SELECT sku, price, tags FROM kept WHERE sku = 'a'`).toEqual([
    { sku: 'a', price: 2, tags: ['x'] },
  ]);
});

it('recreates a table that was dropped meanwhile', async () => {
  const writer = await open('dropped');
  await writer.prepare();
  await theirs`DROP TABLE dropped`;
  await writer.writeExternal(rowsOf(writer, [{ sku: 'a', price: 1 }]));
  expect(await theirs`SELECT sku FROM dropped`).toEqual([{ sku: 'a' }]);
});

it('fails only the rows that the account’s own constraint rejects', async () => {
  await theirs`CREATE TABLE strict (_url text, _fetched_at timestamptz, _run_id text, sku text PRIMARY KEY,
    price double precision CHECK (price < 100), tags jsonb)`;
  const writer = await open('strict');
  await writer.prepare();
  const rows = rowsOf(
    writer,
    Array.from({ length: 50 }, (_, index) => ({ sku: `s${index}`, price: index % 10 === 3 ? 1000 : index })),
  );
  const failures: Map<unknown, StoredError> = await writer.writeExternal(rows);
  expect(failures.size).toBe(5);
  expect([...failures.values()][0]?.detail).toContain('violates check constraint');
  expect(await theirs`SELECT count(*)::int AS n FROM strict`).toEqual([{ n: 45 }]);
});

it('writes valid rows, and leaves rows for later that it can’t isolate in time', async () => {
  await theirs`CREATE TABLE odd_only (n text PRIMARY KEY CHECK (n::int % 4 <> 0))`;
  const upsert = {
    statement: 'INSERT INTO odd_only SELECT * FROM unnest($1::text[]) ON CONFLICT (n) DO NOTHING',
    columns: [{ name: 'n', type: 'text', isKey: true, isNew: false, path: [] } as const],
    nulls: 'keep',
  } as const;
  const row = (n: string) => ({ key: n, fetchedAt: '', shape: '', cells: [n] });
  const all = [row('1'), row('2'), row('3'), row('4')];
  const late = await writeRowsApart((transaction) => runTransaction(theirs, transaction), upsert, all, {
    withinMs: -1,
  });
  expect(all.map((one) => late.get(one)?.code)).toEqual(Array(4).fill('temporarily_unavailable'));
  expect([...late.values()][0]?.detail).toContain('violates check constraint');
  const apart = await writeRowsApart((transaction) => runTransaction(theirs, transaction), upsert, all);
  expect(all.map((one) => apart.get(one)?.code)).toEqual([
    undefined,
    undefined,
    undefined,
    'extraction_failed',
  ]);
});

it('gives up on a locked table, without a session that keeps waiting', async () => {
  const writer = await open('locked');
  await writer.prepare();
  const rows = rowsOf(writer, [{ sku: 'a', price: 1 }]);
  const unlock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = theirs.begin(async (tx) => {
    await tx`LOCK TABLE locked IN ACCESS EXCLUSIVE MODE`;
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  await expect(writer.writeExternal(rows)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    options: { detail: 'another session holds a lock on the table' },
  });
  expect(
    await theirs`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  ).toEqual([]);
  unlock.resolve();
  await holding;
  await writer.writeExternal(rows);
  expect(await theirs`SELECT sku FROM locked`).toEqual([{ sku: 'a' }]);
});

it('writes through a new URL that the account set meanwhile', async () => {
  const other = await createElsewhere();
  try {
    const id = await createExternal(elsewhere.url);
    const writer = await open('moved', id);
    await writer.prepare();
    await writer.writeExternal(rowsOf(writer, [{ sku: 'a', price: 1 }]));
    const connection = seal(other.url, { secretKey, place: connectionPlace(id) });
    await test.db
      .sql`UPDATE gleaner.databases SET connection = ${connection}, updated_at = clock_timestamp() WHERE id = ${id}`;
    await delay(1_100);
    await writer.prepare();
    await writer.writeExternal(rowsOf(writer, [{ sku: 'b', price: 2 }]));
    expect(await other.db.sql`SELECT sku FROM moved`).toEqual([{ sku: 'b' }]);
    expect(await theirs`SELECT sku FROM moved`).toEqual([{ sku: 'a' }]);
  } finally {
    await other.close();
  }
});

it('fails only the rows that the account’s own trigger or index rejects', async () => {
  await theirs.unsafe(`CREATE TABLE guarded (_url text, _fetched_at timestamptz, _run_id text, sku text PRIMARY KEY,
      price double precision, tags jsonb);
    CREATE INDEX ON guarded ((tags::text));
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.price = 3 THEN RAISE EXCEPTION 'no threes'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const writer = await open('guarded');
  const long = randomBytes(6000).toString('base64');
  const rows = rowsOf(
    writer,
    Array.from({ length: 8 }, (_, price) => ({ sku: `s${price}`, price, tags: price === 5 ? [long] : [] })),
  );
  const failures = await writer.writeExternal(rows);
  expect([...failures.values()].map(({ detail }) => detail?.replace(/\d.*$/, '')).toSorted()).toEqual([
    'the table rejected the row: index row size ',
    'the table rejected the row: no threes',
  ]);
  expect(await theirs`SELECT count(*)::int AS n FROM guarded`).toEqual([{ n: 6 }]);
});

it('a fault of the table that no retry passes fails its rows, with the column and the reason, and is no outage', async () => {
  const cases = [
    [
      'generated',
      `ALTER TABLE % DROP COLUMN tags; ALTER TABLE % ADD COLUMN tags jsonb GENERATED ALWAYS AS ('[]'::jsonb) STORED`,
    ],
    [
      'missing in a trigger',
      `CREATE FUNCTION ask() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.price = (SELECT absent FROM %); RETURN NEW; END $$; CREATE TRIGGER ask BEFORE INSERT ON % FOR EACH ROW EXECUTE FUNCTION ask()`,
    ],
    ['a rule', `CREATE RULE drop_all AS ON INSERT TO % DO INSTEAD NOTHING`],
    [
      'a state of its own',
      `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '45S01'; END $$; CREATE TRIGGER own BEFORE INSERT ON % EXECUTE FUNCTION own()`,
    ],
    ['a required column', `ALTER TABLE % ADD COLUMN owner text NOT NULL`],
  ] as const;
  const expected = ['"tags"', 'absent', 'INSERT RETURNING', 'not now', '"owner"'];
  for (const [index, [name, change]] of cases.entries()) {
    const table = `permanent_${index}`;
    const writer = await open(table);
    await writer.prepare();
    await theirs.unsafe(change.replaceAll('%', table));
    const rows = rowsOf(
      writer,
      Array.from({ length: 5 }, (_, sku) => ({ sku: `s${sku}`, price: 1, tags: [] })),
    );
    const failures = [...(await writer.writeExternal(rows)).values()];
    expect(failures, name).toHaveLength(5);
    for (const { code, detail } of failures) {
      expect(code, name).toBe('extraction_failed');
      expect(detail, name).toContain(expected[index]);
    }
  }
});

it('fails only the rows that a trigger or a policy leaves out, and none that the table has in a later version', async () => {
  const writer = await open('swallowed');
  await writer.prepare();
  await theirs.unsafe(`CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.price = 3 THEN RETURN NULL; END IF; RETURN NEW; END $$;
    CREATE TRIGGER swallow BEFORE INSERT OR UPDATE ON swallowed FOR EACH ROW EXECUTE FUNCTION swallow()`);
  const priced = Array.from({ length: 8 }, (_, price) => ({ sku: `s${price}`, price, tags: [] }));
  const rows = rowsOf(writer, priced, Date.now() - 60_000);
  const later = rowsOf(writer, [{ sku: 's5', price: 50, tags: [] }]);
  expect((await writer.writeExternal(later)).size).toBe(0);
  const failures = await writer.writeExternal(rows);
  expect([...failures.keys()].map(({ key }) => key)).toEqual(['s3']);
  expect([...failures.values()][0]?.detail).toContain('left it out');
  expect(await theirs`SELECT price FROM swallowed WHERE sku = 's5'`).toEqual([{ price: 50 }]);
  expect(await theirs`SELECT count(*)::int AS n FROM swallowed`).toEqual([{ n: 7 }]);
});

it('stores only a short part of the server’s error message', async () => {
  await theirs.unsafe(`CREATE TABLE wordy (_url text, _fetched_at timestamptz, _run_id text, sku text PRIMARY KEY,
      price double precision, tags jsonb);
    CREATE FUNCTION talk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING MESSAGE = repeat('no ', 1000000),
        ERRCODE = CASE WHEN NEW.price = 1 THEN 'P0001' ELSE '58030' END; END $$;
    CREATE TRIGGER talk BEFORE INSERT ON wordy FOR EACH ROW EXECUTE FUNCTION talk()`);
  const writer = await open('wordy');
  const [failure] = (await writer.writeExternal(rowsOf(writer, [{ sku: 'a', price: 1, tags: [] }]))).values();
  expect(failure?.detail).toMatch(/^the table rejected the row: no no [no …]{0,510}$/);
  const refused = writer.writeExternal(rowsOf(writer, [{ sku: 'a', price: 2, tags: [] }]));
  await expect(refused).rejects.toMatchObject({ options: { detail: expect.stringMatching(/^.{0,700}$/) } });
});

it('rejects a relation of the same name that is not a table', async () => {
  await theirs`CREATE VIEW shown AS SELECT 1 AS sku`;
  await expect(open('shown')).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: 'sink.table', detail: expect.stringContaining('a view') },
  });
});

it('refuses a table whose columns have types that sinks don’t write', async () => {
  await theirs`CREATE TABLE odd (_url text, _fetched_at timestamptz, _run_id text, sku text PRIMARY KEY, price money)`;
  await expect(open('odd')).rejects.toMatchObject({
    code: 'invalid_request',
    options: {
      field: 'sink.table',
      detail: "column price of table odd is money, which sinks don't write",
    },
  });
});

it('reports that the database is unavailable, or that its user may not write', async () => {
  const away = new URL(elsewhere.url);
  away.port = '65535';
  await expect(open('products', await createExternal(away.href))).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    retryable: true,
  });
  // Before Postgres 15 everybody may create tables in the schema.
  await theirs.unsafe(`REVOKE CREATE ON SCHEMA public FROM PUBLIC; DROP ROLE IF EXISTS visitor_${process.pid};
    CREATE ROLE visitor_${process.pid} LOGIN PASSWORD 'visitor'`);
  const visitor = new URL(elsewhere.url);
  visitor.username = `visitor_${process.pid}`;
  visitor.password = 'visitor';
  const writer = await open('forbidden', await createExternal(visitor.href));
  await expect(writer.prepare()).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: 'sink.database' },
  });
});
