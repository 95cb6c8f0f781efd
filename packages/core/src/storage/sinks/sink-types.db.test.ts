import type { DatabaseSink } from '@gleaner/contracts';
import { createElsewhere, createTestDatabase } from '@gleaner/db/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../accounts/change-accounts.ts';
import { createId } from '../../platform/ids.ts';
import { seal } from '../../platform/secrets/seal.ts';
import type { SinkColumn } from '../columns/columns.ts';
import { connectionPlace, createExternalDatabases } from '../external/external-databases.ts';
import { openSinkWriter, type SinkWriter } from './sink-writer.ts';
import { writeSettledRows } from './write-rows.ts';

const test = await createTestDatabase();
const elsewhere = await createElsewhere();
const secretKey = '5'.repeat(64);
const external = createExternalDatabases({
  secretKey,
  resolveEgress: (host, port) => Promise.resolve({ address: host, port }),
});
afterAll(async () => {
  await external.close();
  await test.close();
  await elsewhere.close();
});
const { sql } = test.db;
const theirs = elsewhere.db.sql;
const { account } = await createAccount(test.db, { name: 'types', credits: 0 });

const outer = createId('database');
const connection = seal(elsewhere.url, { secretKey, place: connectionPlace(outer) });
await sql`INSERT INTO gleaner.databases (id, account_id, name, kind, connection, host)
  VALUES (${outer}, ${account.id}, 'outer', 'postgres', ${connection}, 'there')`;
const inner = createId('database');
await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${inner}, ${account.id}, 'inner', 'managed')`;
await sql.unsafe(`CREATE SCHEMA "${inner}"`);
// The owner of the other server lives elsewhere.
await theirs.unsafe(
  `ALTER DATABASE "${new URL(elsewhere.url).pathname.slice(1)}" SET TimeZone = 'Asia/Tokyo'`,
);

/** Columns of a parser, all of them text unless a type follows. */
function columnsOf(...texts: string[]): SinkColumn[] {
  return texts.map((text) => {
    const [name = '', type = 'text'] = text.split(':');
    return { name, type, nullable: true, key: false };
  });
}

function open(sink: Partial<DatabaseSink> & { table: string }, columns: SinkColumn[]): Promise<SinkWriter> {
  return openSinkWriter(
    { db: test.db, external },
    {
      accountId: account.id,
      runId: 'job_1',
      sink: { mode: 'database', database: outer, contract: 'evolve', nulls: 'keep', ...sink },
      columns,
    },
  );
}

function made(writer: SinkWriter, data: unknown, url = 'http://a/') {
  return writer.toRows({ url, fetchedAt: new Date().toISOString(), data });
}

async function save(writer: SinkWriter, ...pages: unknown[]): Promise<void> {
  await writer.prepare();
  const rows = pages.flatMap((data) => {
    const found = made(writer, data);
    if ('error' in found) throw new Error(found.error.detail);
    return found.rows;
  });
  if (writer.kind === 'managed') await writeSettledRows(sql, writer.settledRows(rows));
  else expect(await writer.writeExternal(rows)).toEqual(new Map());
}

const TYPES: Record<string, string> = {
  va: 'varchar(5)',
  ch: 'char(4)',
  si: 'smallint',
  it: 'integer',
  bi: 'bigint',
  nu: 'numeric',
  nd: 'numeric(6,2)',
  re: 'real',
  dp: 'double precision',
  bo: 'boolean',
  da: 'date',
  ti: 'time',
  ts: 'timestamp',
  tz: 'timestamptz',
  uu: 'uuid',
  js: 'json',
  jb: 'jsonb',
  ta: 'text[]',
};
const GOOD = {
  va: 'five!',
  ch: 'ab',
  si: -7,
  it: 70_000,
  bi: 2 ** 40,
  nu: 1e-7,
  nd: 1234.5,
  re: 0.1,
  dp: 0.1,
  bo: true,
  da: '2026-02-28',
  ti: '23:59',
  ts: '2026-02-28T23:00:00+09:00',
  tz: '2026-02-28T23:00:00+09:00',
  uu: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
  js: { a: [1] },
  jb: { a: [1] },
  ta: ['x,"y"', null, '{z}'],
};
/** What Postgres shows of it, in UTC. */
const SHOWN = {
  va: 'five!',
  ch: 'ab',
  si: '-7',
  it: '70000',
  bi: '1099511627776',
  nu: '0.0000001',
  nd: '1234.50',
  re: '0.1',
  dp: '0.1',
  bo: 'true',
  da: '2026-02-28',
  ti: '23:59:00',
  ts: '2026-02-28 14:00:00',
  tz: '2026-02-28 14:00:00+00',
  uu: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  js: '{"a":[1]}',
  jb: '{"a": [1]}',
  ta: String.raw`{"x,\"y\"",NULL,"{z}"}`,
};
const BAD: Record<string, unknown> = {
  va: 'longer',
  ch: 'abcde',
  si: 40_000,
  it: 1.5,
  bi: 2 ** 60,
  nu: 'many',
  nd: 0.125,
  re: 16_777_217,
  dp: 'many',
  bo: 1,
  da: '2026-02-30',
  ti: '25:00',
  ts: 'today',
  tz: 'today',
  uu: 'a0ee',
  ta: [{}],
};
const shownAs = Object.keys(TYPES).map((name) => `${name}::text`);

describe.each(['managed', 'external'])('columns of a %s table', (kind) => {
  const isManaged = kind === 'managed';
  const database = isManaged ? inner : outer;
  const columns = columnsOf(...Object.keys(TYPES));

  it('take values of each type as they are, twice', async () => {
    const types = Object.fromEntries(Object.entries(TYPES));
    if (!isManaged) {
      const definitions = Object.entries(TYPES).map(([name, type]) => `${name} ${type}`);
      await theirs.unsafe(
        `CREATE TABLE typed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, _url varchar(2000) UNIQUE, ${definitions.join(', ')})`,
      );
    }
    const writer = await open({ table: 'typed', database, ...(isManaged ? { types } : {}) }, columns);
    await save(writer, GOOD);
    await save(writer, { ...GOOD, it: 70_001, ta: null });
    const found = isManaged
      ? await sql.unsafe(`SELECT ${shownAs.join(', ')} FROM "${inner}".typed`)
      : await theirs.begin(async (tx) => {
          await tx`SET LOCAL TimeZone = 'UTC'`;
          return tx.unsafe(`SELECT ${shownAs.join(', ')} FROM typed`);
        });
    expect([...found]).toEqual([{ ...SHOWN, it: '70001' }]);
  });

  it('refuse a value that the type would change, with the column named', async () => {
    const writer = await open({ table: 'typed', database }, columns);
    await writer.prepare();
    for (const [name, value] of Object.entries(BAD))
      expect(made(writer, { ...GOOD, [name]: value })).toMatchObject({
        error: { field: name, detail: expect.stringContaining(`column ${name} of table typed is`) as string },
      });
  });

  it('keep their type when sink.types names another', async () => {
    await expect(open({ table: 'typed', database, types: { nd: 'numeric(6,3)' } }, columns)).rejects.toThrow(
      expect.objectContaining({ options: expect.objectContaining({ field: 'sink.types.nd' }) as object }),
    );
    await open({ table: 'typed', database, types: { nd: 'numeric(6, 2)' } }, columns);
  });

  it('of a key are compared as the column stores them', async () => {
    const types = { n: 'numeric(8,2)', c: 'char(6)', r: 'real', u: 'uuid' };
    const key = Object.keys(types);
    const table = `keyed_${kind}`;
    const writer = await open({ table, database, types, key }, columnsOf(...key, 'v'));
    const first = { n: 1.5, c: 'ab', r: 0.1, u: GOOD.uu, v: 'first' };
    await save(writer, first, { ...first, c: 'ab   ', u: GOOD.uu.toLowerCase(), v: 'second' });
    await save(writer, { ...first, v: null });
    const place = isManaged ? `"${inner}".${table}` : table;
    expect([...(await (isManaged ? sql : theirs).unsafe(`SELECT v, n::text FROM ${place}`))]).toEqual([
      { v: 'second', n: '1.50' },
    ]);
  });
});

it.each<[string, string, RegExp, string]>([
  [
    'a generated column',
    'a text, b text GENERATED ALWAYS AS (a) STORED, _url text PRIMARY KEY',
    /column b/,
    'sink.table',
  ],
  [
    'an identity',
    'a text, b bigint GENERATED ALWAYS AS IDENTITY, _url text PRIMARY KEY',
    /column b/,
    'sink.table',
  ],
  [
    'a column that the parser lacks',
    'c text NOT NULL, _url text PRIMARY KEY',
    /column c .* NOT NULL/,
    'sink.table',
  ],
  ['another type', 'b bytea, _url text PRIMARY KEY', /column b .* bytea/, 'sink.table'],
  [
    'a time of the fetch that is text',
    '_fetched_at text, _url text PRIMARY KEY',
    /_fetched_at/,
    'sink.table',
  ],
  ['a key of JSON', 'a text, _url jsonb PRIMARY KEY', /_url/, 'sink.table'],
])('a sink to a table with %s is refused', async (name, definition, detail, field) => {
  const table = name.toLowerCase().replaceAll(' ', '_');
  await theirs.unsafe(`CREATE TABLE ${table} (${definition})`);
  await expect(open({ table }, columnsOf('a', 'b'))).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field, detail: expect.stringMatching(detail) as string },
  });
});

it('a sink to a table whose other columns fill themselves is not', async () => {
  await theirs.unsafe(`CREATE TABLE filled (id bigint GENERATED ALWAYS AS IDENTITY, made timestamptz NOT NULL DEFAULT now(),
    twice text GENERATED ALWAYS AS (a || a) STORED, a text, _url text PRIMARY KEY)`);
  await save(await open({ table: 'filled' }, columnsOf('a')), { a: 'x' });
  expect([...(await theirs`SELECT id::int, twice FROM filled`)]).toEqual([{ id: 1, twice: 'xx' }]);
});

it('a sink to a view or a partition is refused', async () => {
  await theirs.unsafe(`CREATE VIEW seen AS SELECT 1 AS a; CREATE TABLE parts (_url text PRIMARY KEY) PARTITION BY LIST (_url);
    CREATE TABLE part PARTITION OF parts DEFAULT`);
  for (const table of ['seen', 'part'])
    await expect(open({ table }, columnsOf('a'))).rejects.toMatchObject({ options: { field: 'sink.table' } });
});

it('types of columns that the target lacks are refused', async () => {
  await expect(open({ table: 'lacking', types: { b: 'uuid' } }, columnsOf('a'))).rejects.toMatchObject({
    options: { field: 'sink.types.b' },
  });
});
