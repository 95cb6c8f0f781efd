import { gunzipSync } from 'node:zlib';
import { readXlsx } from 'hucre/xlsx';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportTable } from './export-table.ts';
import { findTable, listRows, readRows } from './read-rows.ts';
import { createSheets } from '../sheets/sheets.ts';
import { none, openTestDatabases } from './testing/test-databases.ts';

const { sql, ctx: plain, createManaged, createProducts, close } = await openTestDatabases();
const sheets = createSheets();
const ctx = { ...plain, services: { ...plain.services, sheets } };
afterAll(close);

const filled = await createManaged('filled');
beforeAll(async () => {
  await createProducts(filled.id);
  await sql.unsafe(`INSERT INTO "${filled.id}".products
    SELECT 'http://shop/' || (n / 3), '2026-01-01T00:00:00.123456Z', 'job_1', 'S' || n, CASE WHEN n % 4 = 0 THEN NULL ELSE (n % 5)::float8 END,
      n, n % 2 = 0, date '2026-01-01' + n, jsonb_build_object('n', n, 'colour', CASE WHEN n % 2 = 0 THEN 'red' ELSE 'blue' END)
    FROM generate_series(0, 29) n`);
});

function rowsOf(id: string, query: { order_by?: string; filter?: unknown; cursor?: string; limit?: number }) {
  return listRows(ctx, {
    ...none,
    params: { id, table: 'products' },
    query: {
      ...query,
      limit: query.limit ?? 100,
      filter: query.filter === undefined ? undefined : JSON.stringify(query.filter),
    },
  });
}

const AS_IT_IS = { gzip: false, formulas: 'guard' } as const;

type ExportQuery = Parameters<typeof exportTable>[1]['query'];

async function exportedFile(id: string, query: Partial<ExportQuery>, table = 'products') {
  const { stream, ...file } = await exportTable(ctx, {
    ...none,
    params: { id, table },
    query: { format: 'ndjson', ...AS_IT_IS, ...query },
  });
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return { ...file, bytes: Buffer.concat(parts) };
}

async function exported(id: string, format: 'csv' | 'ndjson', table = 'products'): Promise<string> {
  return (await exportedFile(id, { format }, table)).bytes.toString();
}

describe('rows', () => {
  it('are returned page by page in any order, each exactly once', async () => {
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

  it.each(['-_fetched_at', 'sku', undefined])(
    'become texts once the page is found, ordered by %s, not all that are sorted',
    async (orderBy) => {
      const table = await findTable(sql, filled.id, 'products');
      let plan = '';
      const explain = async (text: string, parameters: string[]): Promise<never[]> => {
        const rows = await sql.unsafe(`EXPLAIN (VERBOSE, FORMAT JSON) ${text}`, parameters);
        plan = JSON.stringify(rows);
        return [];
      };
      const tx = { unsafe: explain } as unknown as typeof sql;
      await readRows(tx, { schema: filled.id, kind: 'managed' }, table, { orderBy, limit: 7 });
      const [, belowLimit = ''] = plan.split('"Node Type":"Limit"');
      expect(belowLimit).toContain('"Relation Name":"products"');
      expect(belowLimit).not.toContain('to_char');
    },
  );

  it('make smaller pages when they are large, and are exported at any size', async () => {
    const large = await createManaged('large');
    await sql.unsafe(`CREATE TABLE "${large.id}".products (sku text PRIMARY KEY, page text);
      INSERT INTO "${large.id}".products SELECT n::text, repeat(n::text, CASE n WHEN 4 THEN 9000000 ELSE 3000000 END) FROM generate_series(1, 6) n`);
    const pages: unknown[][] = [];
    let cursor: string | undefined;
    do {
      const page = await rowsOf(large.id, { cursor });
      pages.push(page.rows.map((row) => row['sku']));
      cursor = page.pagination.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual([['1', '2'], ['3'], ['4'], ['5', '6']]);
    expect((await exported(large.id, 'ndjson')).split('\n')).toHaveLength(7);
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

  it('are ordered by the numbers in texts, page by page', async () => {
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await rowsOf(filled.id, { order_by: 'sku', cursor, limit: 7 });
      seen.push(...page.rows.map((row) => row['sku']));
      cursor = page.pagination.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => `S${n}`));
  });

  it('contain times and whole numbers without a JSON form as text, which filters accept', async () => {
    const odd = await createManaged('odd');
    await sql.unsafe(`CREATE TABLE "${odd.id}".products (at timestamptz PRIMARY KEY, stock bigint);
      INSERT INTO "${odd.id}".products VALUES ('-infinity', 9007199254740992), ('0044-03-15 12:00:00+00 BC', 9007199254740993),
        ('2026-01-01 00:00:00.5+00', 3), ('infinity', NULL)`);
    const { rows } = await rowsOf(odd.id, {});
    expect(rows.map(({ at }) => at)).toEqual([
      '-infinity',
      '0044-03-15 12:00:00+00 BC',
      '2026-01-01T00:00:00.500Z',
      'infinity',
    ]);
    const found = await rowsOf(odd.id, { filter: { stock: rows[1]?.['stock'] } });
    expect(found.rows).toEqual([rows[1]]);
    await expect(rowsOf(odd.id, { filter: { stock: 'many' } })).rejects.toMatchObject({
      options: { field: 'filter.stock.eq', detail: 'must be a number' },
    });
  });

  it('have numbers wherever JSON has them exactly, and times without a zone in UTC', async () => {
    const exact = await createManaged('exact');
    await sql.unsafe(`CREATE TABLE "${exact.id}".products (sku text PRIMARY KEY, price numeric(20,2), share numeric, at timestamp);
      INSERT INTO "${exact.id}".products VALUES ('a', 1.5, 0.0000001, '2026-01-02 03:04:05'), ('b', 2, 0.10, '2026-01-02 03:04:05.1239'),
        ('c', 123456789012345678.10, 0.1000000000000000055, 'infinity'), ('d', -1000.10, 0.00, '0044-03-15 12:00:00 BC')`);
    const { rows } = await rowsOf(exact.id, {});
    expect(rows).toEqual([
      { sku: 'a', price: 1.5, share: 1e-7, at: '2026-01-02T03:04:05.000Z' },
      { sku: 'b', price: 2, share: 0.1, at: '2026-01-02T03:04:05.123Z' },
      { sku: 'c', price: '123456789012345678.10', share: '0.1000000000000000055', at: 'infinity' },
      { sku: 'd', price: -1000.1, share: 0, at: '0044-03-15 12:00:00 BC' },
    ]);
    const lines = (await exported(exact.id, 'ndjson')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(rows);
    expect((await exported(exact.id, 'csv')).split('\n')[1]).toBe(
      'a,1.50,0.0000001,2026-01-02T03:04:05.000Z',
    );
    expect((await rowsOf(exact.id, { filter: { at: '2026-01-02T03:04:05.000Z' } })).rows).toEqual([rows[0]]);
  });

  it('keep every digit of whole numbers inside JSON', async () => {
    const long = await createManaged('long');
    await sql.unsafe(`CREATE TABLE "${long.id}".products (sku text PRIMARY KEY, j jsonb);
      INSERT INTO "${long.id}".products VALUES ('a', '{"ids": [12345678901234567890, -9007199254740993, 7, 1e21], "share": 0.5, "__proto__": 1}')`);
    const [row] = (await rowsOf(long.id, {})).rows;
    expect(JSON.stringify(row?.['j'])).toBe(
      '{"ids":["12345678901234567890","-9007199254740993",7,1e+21],"share":0.5,"__proto__":1}',
    );
  });

  it('are found by numbers of any size, which columns of doubles compare as doubles', async () => {
    const huge = '9'.repeat(400);
    await expect(rowsOf(filled.id, { filter: { price: { lt: huge } } })).rejects.toMatchObject({
      options: { field: 'filter.price.lt', detail: 'must be a number' },
    });
    const above = await rowsOf(filled.id, { filter: { price: { gt: `0.${'0'.repeat(399)}1` } } });
    expect(above.rows.length).toBeGreaterThan(0);
    expect((await rowsOf(filled.id, { filter: { stock: { lt: huge } } })).rows).toHaveLength(30);
  });

  it('are returned as JSON of their types', async () => {
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
    [{ filter: { sku: { starts_with: '\0' } } }, 'filter.sku.starts_with'],
    [{ filter: { sku: ['S1', 'S2\ud800'] } }, 'filter.sku.in'],
    [{ filter: { tags: { contains: { colour: 'red\0' } } } }, 'filter.tags.contains'],
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

it.each([
  '{"ext":9007199254740993}',
  '{"ext":{"in":[1,9007199254740993]}}',
  '{"ext":{"gt":9007199254740992}}',
])('rows are filtered by whole numbers that no double holds: %s', async (filter) => {
  const { id } = await createManaged();
  await createProducts(id);
  await sql.unsafe(`ALTER TABLE "${id}".products ADD COLUMN ext bigint`);
  await sql.unsafe(`INSERT INTO "${id}".products (_url, _fetched_at, _run_id, sku, ext)
      SELECT 'http://' || n, now(), 'r', 's', 9007199254740991 + n FROM generate_series(0, 2) n`);
  const query = { limit: 10, filter };
  const { rows } = await listRows(ctx, { ...none, params: { id, table: 'products' }, query });
  expect(rows).toMatchObject([{ ext: '9007199254740993' }]);
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

  it('as CSV contains no formula, and keeps numbers unchanged', async () => {
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

  it('keeps formulas when asked, and is the same file when compressed', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    await sql`INSERT INTO ${sql(made.id)}.products (_url, _fetched_at, _run_id, sku)
      VALUES ('http://1', now(), 'r', '=1+1')`;
    const plain = await exportedFile(made.id, { format: 'csv', formulas: 'keep' });
    expect(plain.bytes.toString()).toContain(',=1+1,');
    expect(plain).toMatchObject({ contentType: 'text/csv; charset=utf-8', filename: 'products.csv' });
    const zipped = await exportedFile(made.id, { format: 'csv', formulas: 'keep', gzip: true });
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(zipped).toMatchObject({ contentType: 'application/gzip', filename: 'products.csv.gz' });
  });

  it('is a Parquet file with the types of the columns, over many pages', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    await sql.unsafe(`INSERT INTO "${made.id}".products (_url, _fetched_at, _run_id, sku, price, stock, sale, since, tags)
      SELECT 'http://' || n, '2026-01-01T10:00:00.125Z', 'r', repeat('x', 500), n + 0.5, 9007199254740993, true,
        '2026-02-03', '{"n": 12345678901234567890}' FROM generate_series(1, 9000) n`);
    await sql.unsafe(
      `UPDATE "${made.id}".products SET price = NULL, since = 'infinity' WHERE _url = 'http://1'`,
    );
    const { bytes, filename } = await exportedFile(made.id, { format: 'parquet' });
    expect(filename).toBe('products.parquet');
    const file = Uint8Array.from(bytes).buffer;
    expect(parquetMetadata(file).row_groups.length).toBeGreaterThan(1);
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(9000);
    const byUrl = new Map(rows.map((row) => [row._url, row]));
    expect(byUrl.get('http://2')).toEqual({
      _url: 'http://2',
      _fetched_at: new Date('2026-01-01T10:00:00.125Z'),
      _run_id: 'r',
      sku: 'x'.repeat(500),
      price: 2.5,
      stock: 9_007_199_254_740_993n,
      sale: true,
      since: new Date('2026-02-03'),
      tags: expect.anything() as unknown,
    });
    expect(byUrl.get('http://1')).toMatchObject({ price: null, since: null });
  });

  it('reads only as far as the client reads', async () => {
    const made = await createManaged();
    await createProducts(made.id);
    await sql.unsafe(`INSERT INTO "${made.id}".products (_url, _fetched_at, _run_id, sku)
      SELECT 'http://' || n, now(), 'r', 's' FROM generate_series(1, 1000) n`);
    const answer = await exportTable(ctx, {
      ...none,
      params: { id: made.id, table: 'products' },
      query: { format: 'ndjson', ...AS_IT_IS },
    });
    const parts = answer.stream[Symbol.asyncIterator]();
    await parts.next();
    await sql.unsafe(`DELETE FROM "${made.id}".products`);
    const rest = await parts.next();
    expect(String(rest.value ?? '')).toBe('');
  });
});

it('rows and exports have the columns that are named, in their order', async () => {
  const { id } = await createManaged();
  await createProducts(id);
  await sql.unsafe(`INSERT INTO "${id}".products (_url, _fetched_at, _run_id, sku, price, sale, tags)
    VALUES ('http://1', now(), 'r', '=2', 2.5, true, '["a"]')`);
  const query = { format: 'csv', columns: 'price,sku' } as const;
  expect((await exportedFile(id, query)).bytes.toString()).toBe("price,sku\n2.5,'=2\n");
  const { rows } = await listRows(ctx, {
    ...none,
    params: { id, table: 'products' },
    query: { limit: 10, columns: 'tags,sale' },
  });
  expect(rows).toEqual([{ tags: ['a'], sale: true }]);
  const sheet = await exportedFile(id, { format: 'xlsx', columns: 'sku, price, sale, tags' });
  expect(sheet.filename).toBe('products.xlsx');
  expect((await readXlsx(sheet.bytes)).sheets[0]?.rows).toEqual([
    ['sku', 'price', 'sale', 'tags'],
    ['=2', 2.5, true, '["a"]'],
  ]);
  await expect(exportedFile(id, { columns: 'color' })).rejects.toMatchObject({
    options: { field: 'columns' },
  });
});
