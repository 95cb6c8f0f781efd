import { gunzipSync } from 'node:zlib';
import { readXlsx } from 'hucre/xlsx';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createParserCache } from '../../parsers/parser-cache.ts';
import { createTestParser } from '../../testing/submit-services.ts';
import { submitTestRun } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { createSheets } from '../../storage/sheets/sheets.ts';
import { exportBatch } from './export-batch.ts';

const opened = await openTestServices();
const sheets = createSheets();
afterAll(async () => {
  sheets.close();
  await opened.close();
});

type Query = Parameters<typeof exportBatch>[1]['query'];
type Ctx = Parameters<typeof exportBatch>[0];

let ctx: Ctx;
let batchId: string;

beforeAll(async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const parserId = await createTestParser(services, accountId, [
    {
      fields: {
        name: 'h1',
        price: { css: '.price', type: 'number' },
        stock: { css: '.stock', type: 'integer' },
        since: { css: 'time', type: 'date' },
        tags: { css: 'li', take: 'all' },
      },
    },
  ]);
  const { id, no } = await submitTestRun(services, accountId, ['http://a.test/1', 'http://a.test/2'], {
    target: { type: 'parser', parserId, version: 1 },
  });
  batchId = id;
  const answers = [
    { name: '=1+1', price: 2.5, stock: 7, since: '2026-02-03', tags: ['a', 'b'] },
    { name: null, price: null, stock: null, since: null, tags: [] },
  ];
  for (const [seq, answer] of answers.entries()) {
    await services.db.sql`
      INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer)
      VALUES (${no}, ${seq}, 1, 1, true, ${JSON.stringify(answer)})`;
  }
  const parsers = createParserCache(services.db);
  const made = testContext(services, accountId);
  ctx = { ...made, services: { ...made.services, parsers, sheets } } as Ctx;
});

async function exported(query: Partial<Query>, id = batchId): Promise<Buffer> {
  const answer = await exportBatch(ctx, {
    params: { id },
    query: { format: 'ndjson', gzip: false, formulas: 'guard', ...query },
    body: undefined,
    upload: undefined,
  });
  const parts: Buffer[] = [];
  for await (const part of answer.stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

it('is Parquet with the types of the parser’s fields', async () => {
  const file = Uint8Array.from(await exported({ format: 'parquet' })).buffer;
  expect(await parquetReadObjects({ file })).toEqual([
    {
      url: 'http://a.test/1',
      name: '=1+1',
      price: 2.5,
      stock: 7n,
      since: new Date('2026-02-03'),
      tags: expect.anything() as unknown,
    },
    {
      url: 'http://a.test/2',
      name: null,
      price: null,
      stock: null,
      since: null,
      tags: expect.anything() as unknown,
    },
  ]);
});

it('guards formulas in CSV unless asked to keep them, and compresses', async () => {
  expect((await exported({ format: 'csv' })).toString()).toContain(",'=1+1,2.5");
  const kept = await exported({ format: 'csv', formulas: 'keep' });
  expect(kept.toString()).toContain(',=1+1,2.5');
  expect(gunzipSync(await exported({ format: 'csv', formulas: 'keep', gzip: true })).equals(kept)).toBe(true);
});

it('a spreadsheet has numbers as such, and texts that are no formulas', async () => {
  const { sheets: made } = await readXlsx(await exported({ format: 'xlsx' }));
  expect(made[0]?.rows).toEqual([
    ['url', 'name', 'price', 'stock', 'since', 'tags'],
    ['http://a.test/1', '=1+1', 2.5, 7, '2026-02-03', '["a","b"]'],
    ['http://a.test/2', null, null, null, null, '[]'],
  ]);
});

it('has the columns that are named, in their order', async () => {
  const columns = 'stock, name';
  expect((await exported({ format: 'csv', columns })).toString()).toBe("stock,name\n7,'=1+1\n,\n");
  const [line = ''] = (await exported({ format: 'ndjson', columns })).toString().split('\n');
  const { url, data } = JSON.parse(line) as { url: string; data: object };
  expect([url, Object.entries(data)]).toEqual([
    'http://a.test/1',
    [
      ['stock', 7],
      ['name', '=1+1'],
    ],
  ]);
  await expect(exported({ format: 'csv', columns: 'color' })).rejects.toMatchObject({
    options: { field: 'columns' },
  });
});

it.each(['paid', 'paid_currency', 'paid,paid_currency'])(
  'as NDJSON has whole fields: %s',
  async (columns) => {
    const { services } = opened;
    const fields = { name: 'h1', paid: { css: '.paid', type: 'money' } } as const;
    const parserId = await createTestParser(services, ctx.accountId, [{ fields }]);
    const target = { type: 'parser', parserId, version: 1 } as const;
    const run = await submitTestRun(services, ctx.accountId, ['http://a.test/1'], { target });
    const answer = { name: 'A', paid: { amount: 11.5, currency: 'USD' } };
    await services.db.sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer)
    VALUES (${run.no}, 0, 1, 1, true, ${JSON.stringify(answer)})`;
    const line = JSON.parse((await exported({ columns }, run.id)).toString()) as object;
    expect(line).toMatchObject({ data: { paid: answer.paid } });
  },
);
