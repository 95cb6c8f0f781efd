import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '@gleaner/db/testing';
import type { DatabaseSink } from '@gleaner/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../accounts/change-accounts.ts';
import { createExternalDatabases } from '../external/external-databases.ts';
import { createId } from '../../platform/ids.ts';
import { openSinkWriter, type SinkWriter } from './sink-writer.ts';
import type { OpenSink } from './sink-table.ts';
import type { SinkColumn } from '../columns/columns.ts';
import { writeSettledRows } from './write-rows.ts';

const test = await createTestDatabase();
const { sql } = test.db;
const external = createExternalDatabases({
  secretKey: '0'.repeat(64),
  resolveEgress: (host, port) => Promise.resolve({ address: host, port }),
});
afterAll(async () => {
  await external.close();
  await test.close();
});

const { account } = await createAccount(test.db, { name: 'sinks', credits: 0 });
const deps = { db: test.db, external };

async function createManaged(accountId = account.id): Promise<string> {
  const id = createId('database');
  await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${id}, ${accountId}, ${id}, 'managed')`;
  await sql.unsafe(`CREATE SCHEMA "${id}"`);
  return id;
}
const database = await createManaged();

function column(name: string, type: SinkColumn['type'] = 'text', key = false): SinkColumn {
  return {
    name,
    type,
    key,
    nullable: true,
  };
}

let tableNumber = 0;
function freshTable(): string {
  return `t${(tableNumber += 1)}`;
}

function open(sink: Partial<DatabaseSink>, columns: SinkColumn[], rest: Partial<OpenSink> = {}) {
  return openSinkWriter(deps, {
    accountId: account.id,
    runId: 'job_1',
    sink: { mode: 'database', database, table: 't', contract: 'evolve', nulls: 'keep', ...sink },
    columns,
    ...rest,
  });
}

const BEGINNING = Date.now() - 900_000;

/** A quarter of an hour ago plus some seconds. */
function at(second: number): string {
  return new Date(BEGINNING + second * 1_000).toISOString();
}

interface Fetched {
  url?: string;
  second?: number;
  data: unknown;
}

function rowsOf(writer: SinkWriter, { url = 'http://a/', second = 0, data }: Fetched) {
  const made = writer.toRows({ url, fetchedAt: at(second), data });
  if ('error' in made) throw new Error(made.error.detail);
  return made.rows;
}

function errorOf(writer: SinkWriter, data: unknown) {
  const made = writer.toRows({ url: 'http://a/', fetchedAt: at(0), data });
  return 'error' in made ? made.error : undefined;
}

async function save(writer: SinkWriter, ...pages: Fetched[]): Promise<void> {
  await writer.prepare();
  const rows = pages.flatMap((page) => rowsOf(writer, page));
  await writeSettledRows(sql, writer.settledRows(rows));
}

function read(table: string, columns = '*') {
  return sql.unsafe(`SELECT ${columns} FROM "${database}"."${table}" ORDER BY 1`);
}

describe('a table', () => {
  it('is created on first write with typed columns and metadata', async () => {
    const table = freshTable();
    const writer = await open({ table }, [
      column('title'),
      column('price', 'double precision'),
      column('stock', 'bigint'),
      column('in_sale', 'boolean'),
      column('since', 'date'),
      column('seen', 'timestamptz'),
      column('tags', 'jsonb'),
    ]);
    await save(writer, {
      data: {
        title: 'a "quoted" \\ back, {brace} NULL',
        price: -1.5e-7,
        stock: 9007199254740991,
        in_sale: true,
        since: '2024-02-29',
        seen: '2024-02-29T10:00:00+02:00',
        tags: ['x "y"', { a: null, b: 'back\\slash' }],
      },
    });
    const [row] = await read(table);
    expect(row).toMatchObject({
      _url: 'http://a/',
      _run_id: 'job_1',
      title: 'a "quoted" \\ back, {brace} NULL',
      price: -1.5e-7,
      stock: '9007199254740991',
      in_sale: true,
      since: '2024-02-29',
      seen: '2024-02-29 08:00:00+00',
      tags: ['x "y"', { a: null, b: 'back\\slash' }],
    });
  });

  it('is created once by concurrent workers', async () => {
    const table = freshTable();
    const writers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => open({ table }, [column('a'), column(`b${index % 3}`)])),
    );
    await Promise.all(
      writers.map((writer, index) => save(writer, { url: `http://${index}/`, data: { a: String(index) } })),
    );
    expect(await read(table)).toHaveLength(6);
  });

  it('gets the columns of new fields', async () => {
    const table = freshTable();
    await save(await open({ table }, [column('a')]), { data: { a: '1' } });
    await save(await open({ table }, [column('a'), column('b', 'bigint')]), {
      second: 1,
      data: { a: '1', b: 2 },
    });
    expect(await read(table, 'a, b')).toEqual([{ a: '1', b: '2' }]);
  });

  it('under freeze fails a task with a field without a column, and accepts known fields', async () => {
    const table = freshTable();
    await save(await open({ table, contract: 'freeze' }, [column('a')]), { data: { a: '1' } });
    const writer = await open({ table, contract: 'freeze' }, [column('a'), column('b')]);
    expect(errorOf(writer, { a: '1', b: '2' })).toMatchObject({
      code: 'extraction_failed',
      field: 'sink.contract',
      detail: `table ${table} has no column b, and its contract is freeze`,
    });
  });

  it('notices within seconds that others added columns or dropped the table', async () => {
    const [frozen, dropped] = [freshTable(), freshTable()];
    for (const table of [frozen, dropped])
      await save(await open({ table }, [column('a', 'bigint')]), { data: { a: 1 } });
    const freezing = await open({ table: frozen, contract: 'freeze' }, [column('b')]);
    const misfitting = await open({ table: dropped }, [column('a')]);
    expect(errorOf(freezing, { b: '1' })?.field).toBe('sink.contract');
    expect(errorOf(misfitting, { a: 'text' })?.field).toBe('a');
    await save(await open({ table: frozen }, [column('b')]), { url: 'http://b/', data: { b: '1' } });
    await sql.unsafe(`DROP TABLE "${database}"."${dropped}"`);
    await delay(1_100);
    expect(await Promise.all([freezing.prepare(), misfitting.prepare()])).toEqual([true, true]);
    expect(errorOf(freezing, { b: '1' })).toBeUndefined();
    await save(misfitting, { data: { a: 'text' } });
    expect(await read(dropped, 'a')).toEqual([{ a: 'text' }]);
  });

  it('under discard omits a new field', async () => {
    const table = freshTable();
    await save(await open({ table }, [column('a')]), { data: { a: '1' } });
    await save(await open({ table, contract: 'discard' }, [column('a'), column('b')]), {
      second: 1,
      data: { a: '2', b: 'x' },
    });
    expect((await read(table)).map((row) => Object.keys(row))).toEqual([
      ['_url', '_fetched_at', '_run_id', 'a'],
    ]);
  });

  it('never changes a column’s type: a value that does not fit fails its task and names the column', async () => {
    const table = freshTable();
    await save(await open({ table }, [column('price', 'bigint')]), { data: { price: 1 } });
    const writer = await open({ table }, [column('price', 'text')]);
    expect(errorOf(writer, { price: 'cheap' })).toMatchObject({
      code: 'extraction_failed',
      field: 'price',
      detail: `column price of table ${table} is bigint; "cheap" does not fit`,
    });
    await save(writer, { second: 1, data: { price: 2 } });
    expect(await read(table, 'price')).toEqual([{ price: '2' }]);
  });

  it('keeps its key: a sink with another key is rejected', async () => {
    const table = freshTable();
    await save(await open({ table }, [column('sku')]), { data: { sku: '1' } });
    await expect(open({ table, key: ['sku'] }, [column('sku')])).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'sink.key', detail: `table ${table} has the key _url, not sku` },
    });
  });

  it('of another account is not found', async () => {
    const other = await createAccount(test.db, { name: 'other', credits: 0 });
    const foreign = await createManaged(other.account.id);
    await expect(open({ database: foreign }, [])).rejects.toMatchObject({
      code: 'not_found',
      options: { field: 'sink.database' },
    });
  });

  it('is created again after it was dropped', async () => {
    const table = freshTable();
    const writer = await open({ table }, [column('a')]);
    await save(writer, { data: { a: '1' } });
    await sql.unsafe(`DROP TABLE "${database}"."${table}"`);
    const failed = await save(writer, { data: { a: '2' } }).catch((error: unknown) => error);
    expect(await writer.recover(failed)).toBe(true);
    await save(writer, { data: { a: '2' } });
    expect(await read(table, 'a')).toEqual([{ a: '2' }]);
    expect(await writer.recover(new Error('something else'))).toBe(false);
  });

  it('is never written with rows for its former columns', async () => {
    const table = freshTable();
    const writer = await open({ table, contract: 'discard' }, [column('a'), column('b', 'bigint')]);
    await save(writer, { data: { a: '1', b: 2 } });
    const rows = rowsOf(writer, { second: 1, data: { a: 'x', b: 3 } });
    await sql.unsafe(`DROP TABLE "${database}"."${table}"`);
    await save(await open({ table }, [column('b', 'bigint')]), { data: { b: 9 } });
    const write = async () => writeSettledRows(sql, writer.settledRows(rows));
    const failed = await write().catch((error: unknown) => error);
    expect(await writer.recover(failed)).toBe(true);
    const again = await write().catch((error: unknown) => error);
    expect(await writer.recover(again)).toBe(true);
    await save(writer, { second: 1, data: { a: 'x', b: 3 } });
    expect(await read(table, 'b')).toEqual([{ b: '3' }]);
  });

  it('reports that its database was deleted meanwhile', async () => {
    const gone = await createManaged();
    const writer = await open({ database: gone }, [column('a')]);
    await writer.prepare();
    await sql.unsafe(`DROP SCHEMA "${gone}" CASCADE`);
    await sql`DELETE FROM gleaner.databases WHERE id = ${gone}`;
    const failed = await save(writer, { data: { a: '1' } }).catch((error: unknown) => error);
    await expect(writer.recover(failed)).rejects.toMatchObject({
      code: 'not_found',
      options: { field: 'sink.database' },
    });
  });

  it('can’t have a column with the name of a system column', async () => {
    await expect(open({ table: freshTable() }, [column('a'), column('xmin')])).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'sink', detail: expect.stringContaining('column xmin') },
    });
  });

  it('ends the tasks when it has too many columns, instead of retrying forever', async () => {
    const table = freshTable();
    const numbers = (first: number) =>
      Array.from({ length: 700 }, (_, index) => column(`n${first + index}`, 'double precision'));
    const data = (first: number) => Object.fromEntries(numbers(first).map(({ name }) => [name, 1]));
    await save(await open({ table }, numbers(0)), { data: data(0) });
    const wide = await open({ table }, numbers(700));
    const tooWide = await save(wide, { second: 1, data: data(700) }).catch((error: unknown) => error);
    await expect(wide.recover(tooWide)).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'sink.table', detail: expect.stringContaining('row is too big') },
    });
    await expect((await open({ table }, numbers(1400))).prepare()).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'sink.table', detail: expect.stringContaining('1600 columns') },
    });
  });
});

describe('a row', () => {
  it('is updated by a later one with the same key, and a null never overwrites a value', async () => {
    const table = freshTable();
    const writer = await open({ table }, [column('a'), column('b')]);
    await save(writer, { data: { a: '1', b: 'kept' } });
    await save(writer, { second: 1, data: { a: '2', b: null } });
    expect(await read(table, 'a, b')).toEqual([{ a: '2', b: 'kept' }]);
  });

  it('is overwritten by nulls when the sink says so', async () => {
    const table = freshTable();
    const writer = await open({ table, nulls: 'overwrite' }, [column('a'), column('b')]);
    await save(writer, { data: { a: '1', b: 'gone' } });
    await save(writer, { second: 1, data: { a: '2' } });
    expect(await read(table, 'a, b')).toEqual([{ a: '2', b: null }]);
  });

  it('fetched earlier never overwrites one fetched later', async () => {
    const table = freshTable();
    const writer = await open({ table }, [column('a')]);
    await save(writer, { second: 5, data: { a: 'late' } });
    await save(writer, { second: 4, data: { a: 'early' } });
    expect(await read(table, 'a')).toEqual([{ a: 'late' }]);
  });

  it('that occurs twice in one batch is written like two writes in sequence', async () => {
    const table = freshTable();
    const writer = await open({ table }, [column('a'), column('b')]);
    await save(
      writer,
      { second: 2, data: { a: 'latest', b: null } },
      { second: 1, data: { a: 'earlier', b: 'kept' } },
    );
    expect(await read(table, 'a, b')).toEqual([{ a: 'latest', b: 'kept' }]);
  });

  it('loses all NULs and lone surrogates, which Postgres can’t store', async () => {
    const table = freshTable();
    const writer = await open({ table }, [column('a'), column('tags', 'jsonb')]);
    await save(writer, { data: { a: 'x\0y\uD800z', tags: { 'k\0': ['\0\uDC00', '\\u0000'] } } });
    expect(await read(table, 'a, tags')).toEqual([{ a: 'xy\uFFFDz', tags: { k: ['\uFFFD', '\\u0000'] } }]);
    await save(writer, { second: 1, data: { tags: ['\uDFFF😀'] } });
    expect(await read(table, 'tags')).toEqual([{ tags: ['\uFFFD😀'] }]);
  });

  it('with a key that is null or too long for an index fails its task', async () => {
    const table = freshTable();
    const writer = await open({ table, key: ['sku'] }, [column('sku')]);
    expect(errorOf(writer, { sku: null })?.detail).toBe(
      `column sku is part of the key of table ${table} and is null`,
    );
    expect(errorOf(writer, { sku: 'é'.repeat(1400) })?.field).toBe('sku');
    const longest = randomBytes(1300).toString('hex');
    await save(writer, { data: { sku: longest } });
    expect(await read(table)).toHaveLength(1);
  });

  it('is created from each element of the list that sink.rows names', async () => {
    const table = freshTable();
    const columns = [column('sku', 'text', true), column('price', 'double precision')];
    const writer = await open({ table, rows: '$.items' }, columns);
    await save(writer, {
      data: {
        items: [
          { sku: 'a', price: 1 },
          { sku: 'b', price: 2 },
        ],
      },
    });
    await save(writer, { second: 1, data: { items: null } });
    expect(await read(table, 'sku, price')).toEqual([
      { sku: 'a', price: 1 },
      { sku: 'b', price: 2 },
    ]);
    await expect(open({ table: freshTable(), rows: 'items' }, [column('sku')])).rejects.toMatchObject({
      options: { field: 'sink.key' },
    });
    expect(errorOf(writer, { items: 'no list' })?.field).toBe('sink.rows');
    const deep = await open({ table, rows: 'page.items' }, columns);
    expect(rowsOf(deep, { data: { page: { items: [{ sku: 'c' }] } } })).toHaveLength(1);
  });
});

it('writes the same rows from many transactions at once without a deadlock', async () => {
  const table = freshTable();
  const writer = await open({ table }, [column('a')]);
  await writer.prepare();
  const urls = Array.from({ length: 60 }, (_, index) => `http://${index}/`);
  await Promise.all(
    Array.from({ length: 16 }, (_, run) => {
      const shuffled = [...urls].sort(
        (a, b) => ((a.length * 31 + run * 7) % 5) - ((b.length * 17 + run) % 5),
      );
      // Far apart: a row's time is late by the time that its statement took to reach Postgres.
      return save(writer, ...shuffled.map((url) => ({ url, second: 10 * run, data: { a: String(run) } })));
    }),
  );
  expect(await read(table, 'DISTINCT a')).toEqual([{ a: '15' }]);
});

it('refuses a page whose rows are larger than 64 MB, before a statement is made of them', async () => {
  const writer = await open({ table: freshTable(), rows: 'items', key: ['id'] }, [
    column('id', 'text', true),
  ]);
  await writer.prepare();
  const items = Array.from({ length: 60_000 }, (_, place) => ({ id: `${place}` }));
  const url = (length: number): string => `http://a/?${'x'.repeat(length)}`;
  const made = (length: number) => writer.toRows({ url: url(length), fetchedAt: at(0), data: { items } });
  expect(made(8_000)).toEqual({
    error: expect.objectContaining({
      code: 'extraction_failed',
      retryable: false,
      detail: expect.stringContaining('60000 rows of the page are larger than 64 MB') as string,
    }) as object,
  });
  expect(made(800)).toEqual({ rows: expect.any(Array) as unknown[] });
});
