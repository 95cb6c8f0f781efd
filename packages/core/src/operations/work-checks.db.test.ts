import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestAccount } from '../testing/test-services.ts';
import type { OperationServices } from './operation-entry.ts';
import { callOnce, openTestDoor, refusalOf, valueOf } from './testing/test-calls.ts';

/** What is checked when work is submitted, before it is accepted or priced. */

let services: OperationServices;
let close: () => Promise<void>;
let apiKey: string;
let parserId: string;

const URL = 'https://example.com/';

async function call(id: string, body: unknown, params: Record<string, string> = {}): Promise<unknown> {
  return valueOf(await callOnce(services, id, { apiKey }, { body, params }));
}

async function create(id: string, body: unknown): Promise<string> {
  return ((await call(id, body)) as { id: string }).id;
}

beforeAll(async () => {
  ({ services, close } = await openTestDoor());
  ({ apiKey } = await createTestAccount(services));
  parserId = await create('createParser', { name: 'p', schema: { fields: { title: 'h1' } } });
});
afterAll(() => close());

function target(): object {
  return { type: 'parser', parserId };
}

const WORK: readonly (readonly [string, () => object])[] = [
  ['createJob', () => ({ url: URL })],
  ['createBatch', () => ({ urls: [URL] })],
];

describe.each(WORK)('%s', (id, inputs) => {
  const submit = (more: object) => call(id, { target: target(), ...inputs(), ...more });

  test.each([true, false])(
    'names the setting of a proxy tier that is not configured (dry run: %s)',
    async (dry) => {
      const work = submit({ scrape_config: { proxy: 'premium' }, dry_run: dry });
      expect(await refusalOf(work)).toMatchObject({
        code: 'temporarily_unavailable',
        options: {
          field: expect.stringContaining('proxy') as string,
          detail: 'the proxy tier premium is not configured: GLEANER_PROXY_PREMIUM is not set',
        },
      });
    },
  );

  test('refuses names and values that no cookie can have', async () => {
    for (const cookies of [
      { 'a b': '1' },
      { 'a;b': '1' },
      { '': '1' },
      { a: '1; b=2' },
      { a: '1\r\nb: 2' },
    ]) {
      expect(await refusalOf(submit({ scrape_config: { cookies } }))).toMatchObject({
        code: 'invalid_request',
        options: { field: expect.stringMatching(/^scrape_config\.cookies/) as string },
      });
    }
  });

  test('a dry run reports what it would do and cost, and creates nothing', async () => {
    const list = id === 'createJob' ? 'listJobs' : 'listBatches';
    const before = valueOf(await callOnce(services, list, { apiKey }));
    const body = { target: target(), ...inputs(), scrape_config: { retries: 0 }, dry_run: true };
    const dry = await callOnce(services, id, { apiKey }, { body });
    expect(dry.status).toBe(200);
    expect(valueOf(dry)).toMatchObject({
      dry_run: true,
      inputs: 1,
      refused_count: 0,
      credits: { least: 0, most: 1 },
    });
    expect(valueOf(await callOnce(services, list, { apiKey }))).toEqual(before);
  });

  test('refuses a limit of credits below the price of one input', async () => {
    const body = { scrape_config: { useBrowser: true }, max_credits: 1 };
    expect(await refusalOf(submit(body))).toMatchObject({ options: { field: 'max_credits' } });
  });
});

test('a table can’t be dropped while unfinished work writes to it', async () => {
  const database = await create('createDatabase', { name: 'd', kind: 'managed' });
  const sink = { mode: 'database', database, table: 'products' };
  const batch = await create('createBatch', { target: target(), urls: [URL], sink });
  const drop = () =>
    callOnce(services, 'dropTable', { apiKey }, { params: { id: database, table: 'products' } });
  expect(await refusalOf(drop())).toMatchObject({
    code: 'in_use',
    options: { detail: expect.stringContaining(batch) as string },
  });
  await call('cancelBatch', undefined, { id: batch });
  // Nothing was written, so there is no table to drop.
  expect(await refusalOf(drop())).toMatchObject({ code: 'not_found' });
});
