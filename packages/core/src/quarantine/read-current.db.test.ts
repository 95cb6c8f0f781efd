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
import { readCurrentRows } from './change-rows.ts';

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
async function createShop(table: string, key: string[] | undefined) {
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
    const data = { sku, number: index + 1.5, price: 10 };
    const made = writer.toRows({ url: `https://shop.example/${sku}`, fetchedAt: performance.now(), data });
    return 'rows' in made ? made.rows : [];
  });
  await writeSettledRows(services.db.sql, writer.settledRows(rows));
  return run;
}

function held(seq: number, url: string, data: object) {
  return { seq, url, answer: JSON.stringify(data) };
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
    [...(current ?? [])].map(([seq, { data }]) => [seq, data] as const).sort(([a], [b]) => a - b),
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
    [...(current ?? [])].map(([seq, { data }]) => [seq, data] as const).sort(([a], [b]) => a - b),
  ).toEqual([[1, { sku: 'a', number: 1.5, price: 10 }]]);
});
