import type { DatabaseSink } from '@gleaner/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createId } from '../platform/ids.ts';
import { openRunSink } from '../runs/submission/run-sink.ts';
import { writeSettledRows } from '../storage/sinks/write-rows.ts';
import { createSubmitServices, createTestParser } from '../testing/submit-services.ts';
import { submitTestRun } from '../testing/submit-test-run.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../testing/test-services.ts';
import { listQuarantinedRows, readCurrentRows } from './change-rows.ts';
import { writeReleased } from './write-released.ts';

const SCHEMA = {
  fields: {
    sku: '.sku',
    number: { css: '.number', type: 'number' },
    price: { css: '.price', type: 'number' },
  },
} as const;

let opened: TestServices;
let services: TestServices['services'] &
  Pick<ReturnType<typeof createSubmitServices>, 'external' | 'parsers'>;
let accountId: string;
let database: string;
beforeAll(async () => {
  opened = await openTestServices();
  services = { ...createSubmitServices(opened.services), ...opened.services };
  ({ accountId } = await createTestAccount(services));
  database = createId('database');
  const { sql } = services.db;
  await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${database}, ${accountId}, 'shop', 'managed')`;
  await sql.unsafe(`CREATE SCHEMA "${database}"`);
});
afterAll(async () => {
  await services.external.close();
  await opened.close();
});

/** A run whose sink has this key, and whose table has two products. */
async function createShop(table: string, key: string[] | undefined, size = 1) {
  const parserId = await createTestParser(services, accountId, [SCHEMA]);
  const sink: DatabaseSink = {
    mode: 'database',
    database,
    table,
    contract: 'evolve',
    nulls: 'keep',
    ...(key === undefined ? {} : { key }),
  };
  const target = { type: 'parser' as const, parserId, version: 1 };
  const run = await submitTestRun(services, accountId, ['https://shop.example/'], { target, sink });
  const writer = await openRunSink(services, { id: run.id, accountId, target, sink });
  await writer.prepare();
  const rows = ['a', 'b'].flatMap((sku, index) => {
    const data = { sku: sku.repeat(size), number: index + 1.5, price: 10 };
    const made = writer.toRows({
      url: `https://shop.example/${sku}`,
      fetchedAt: new Date().toISOString(),
      data,
    });
    return 'rows' in made ? made.rows : [];
  });
  await writeSettledRows(services.db.sql, writer.settledRows(rows));
  return run;
}

function held(seq: number, url: string, data: object) {
  return { seq, url, answer: JSON.stringify(data), fetchedAt: '2026-01-01T00:00:00.000Z' };
}

test('a held row is compared with the row of its key, wherever its page is now', async () => {
  const run = await createShop('keyed', ['sku', 'number']);
  const current = await readCurrentRows(testContext(services, accountId), run.no, [
    held(0, 'https://shop.example/moved', { sku: 'b', number: 2.5, price: 4 }),
    held(1, 'https://shop.example/a', { sku: 'a', number: 7, price: 4 }),
    held(2, 'https://shop.example/a', { sku: 'a', number: null, price: 4 }),
    held(3, 'https://shop.example/b', { sku: 'b', number: 2.5, price: 5 }),
  ]);
  expect(
    [...(current ?? [])].map(([seq, row]) => [seq, row?.data] as const).sort(([a], [b]) => a - b),
  ).toEqual([
    [0, { sku: 'b', number: 2.5, price: 10 }],
    [3, { sku: 'b', number: 2.5, price: 10 }],
  ]);
});

test('without a key, a held row is compared with the row of its address', async () => {
  const run = await createShop('plain', undefined);
  const current = await readCurrentRows(testContext(services, accountId), run.no, [
    held(0, 'https://shop.example/moved', { sku: 'b', number: 2.5, price: 4 }),
    held(1, 'https://shop.example/a', { sku: 'other', number: 7, price: 4 }),
  ]);
  expect(
    [...(current ?? [])].map(([seq, row]) => [seq, row?.data] as const).sort(([a], [b]) => a - b),
  ).toEqual([[1, { sku: 'a', number: 1.5, price: 10 }]]);
});

const MEGABYTE = 1_000_000;

async function hold(run: { id: string; no: string }, count: number, answer: (seq: number) => object) {
  const rows = Array.from({ length: count }, (_, seq) => ({
    seq,
    url: `https://shop.example/${'ab'[seq] ?? seq}`,
    answer: JSON.stringify(answer(seq)),
  }));
  for (const { seq, url, answer: text } of rows)
    await services.db.sql`
      INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
      VALUES (${run.no}, ${seq}, ${accountId}, 'prs_x', 1, 'shop.example', 'held', ${url}, ${text}, 'wrong', now())`;
}

async function readHeld(run: { id: string }, query: { with_current?: boolean }): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | null | undefined;
  do {
    const page = await listQuarantinedRows(testContext(services, accountId), {
      params: { id: run.id },
      query: { limit: 100, ...query, ...(cursor == null ? {} : { cursor }) },
    } as Parameters<typeof listQuarantinedRows>[1]);
    pages.push(page.rows.map(({ seq }) => seq));
    ({ cursor } = page.pagination);
  } while (cursor !== null);
  return pages;
}

test('a page of held rows ends at 8 MB, of theirs or of the rows that they would replace', async () => {
  const wide = await createShop('wide', ['number']);
  await hold(wide, 3, (seq) => ({ sku: 'x'.repeat(5 * MEGABYTE), number: seq, price: 1 }));
  expect(await readHeld(wide, {})).toEqual([[2], [1], [0]]);
  const replaced = await createShop('replaced', ['number'], 5 * MEGABYTE);
  await hold(replaced, 2, (seq) => ({ sku: 'a', number: seq + 1.5, price: 1 }));
  expect(await readHeld(replaced, {})).toEqual([[1, 0]]);
  expect(await readHeld(replaced, { with_current: true })).toEqual([[1], [0]]);
});

test('held rows are released some megabytes at a time', async () => {
  const run = await createShop('released', ['number']);
  await hold(run, 12, (seq) => ({ sku: 'x'.repeat(MEGABYTE), number: seq, price: 1 }));
  await services.db.sql`UPDATE gleaner.quarantined_rows SET state = 'releasing' WHERE run_no = ${run.no}`;
  expect(await writeReleased(services)).toBe(9);
  expect(await writeReleased(services)).toBe(3);
  const rows = await services.db.sql.unsafe(`SELECT 1 FROM "${database}".released`);
  expect(rows).toHaveLength(14);
});
