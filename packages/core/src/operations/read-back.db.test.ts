import { exampleOf, type Operation } from '@gleaner/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestAccount } from '../testing/test-services.ts';
import type { OperationServices } from './operation-entry.ts';
import { operationTable } from './operation-table.ts';
import { callOnce, openTestDoor, valueOf } from './testing/test-calls.ts';

type Fields = Record<string, unknown>;

let services: OperationServices;
let close: () => Promise<void>;
let apiKey: string;
/** Records that the examples name, by the prefix of their ids. */
const ids = new Map<string, string>();

const operations = operationTable.map(({ operation }) => operation);

async function call(operation: Operation, input: { params?: Fields; body?: Fields }): Promise<Fields> {
  return valueOf(await callOnce(services, operation.id, { apiKey }, input)) as Fields;
}

function exampleBody(operation: Operation): Fields {
  const text = JSON.stringify(exampleOf(operation).body).replaceAll(
    /\b([a-z]{2,3})_[0-9a-z]{26}\b/g,
    (id, prefix: string) => ids.get(prefix) ?? id,
  );
  return JSON.parse(text) as Fields;
}

/** The fields of a record that a body has too. */
function fieldsFor(body: z.ZodType | undefined, record: Fields): Fields {
  const options = body instanceof z.ZodUnion ? body.options : [body];
  const names = new Set(
    options.flatMap((option) => (option instanceof z.ZodObject ? Object.keys(option.shape) : [])),
  );
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)));
}

const KINDS = ['parsers', 'databases', 'workflows', 'crons', 'webhooks', 'batches', 'jobs'];
/** What a record of the kind is made with, beside its example. */
const MORE: Readonly<Record<string, Fields>> = {
  batches: { max_credits: 1, keep_pages: 'sample:10', scrape_config: { retries: 1 } },
  jobs: { keep_pages: 'all' },
};

function find(method: string, path: string): Operation | undefined {
  return operations.find((operation) => operation.method === method && operation.path === path);
}

beforeAll(async () => {
  ({ services, close } = await openTestDoor());
  ({ apiKey } = await createTestAccount(services));
});
afterAll(() => close());

test.each(KINDS)('what is read of %s can be sent back, and changes nothing', async (kind) => {
  const create = find('POST', `/v1/${kind}`);
  const get = find('GET', `/v1/${kind}/{id}`);
  const update = find('PUT', `/v1/${kind}/{id}`);
  if (!create || !get) throw new Error(`no operations of ${kind}`);
  const made = await call(create, { body: { ...exampleBody(create), ...MORE[kind] } });
  const id = String(made['id']);
  ids.set(id.split('_')[0] ?? '', id);
  const record = await call(get, { params: { id } });
  expect(record).toMatchObject(MORE[kind] ?? {});
  if (update) {
    const { updated_at: _, ...same } = record;
    expect(await call(update, { params: { id }, body: fieldsFor(update.body, record) })).toMatchObject(
      // The inputs of a workflow's runs are not in it, nor are the tables of a database.
      fieldsFor(update.body, same),
    );
  }
  const { urls, ...again } = { ...fieldsFor(create.body, record), urls: exampleBody(create)['urls'] };
  const copy = await call(create, {
    body: {
      ...again,
      ...(urls === undefined ? {} : { urls }),
      ...(kind === 'databases' ? { name: 'copy' } : {}),
    },
  });
  expect(copy).toMatchObject({ ...again, ...(kind === 'databases' ? { name: 'copy' } : {}) });
});

test('records of runs show no word of the engine', async () => {
  const batch = find('POST', '/v1/batches');
  if (!batch) throw new Error('no batches');
  const record = await call(batch, { body: { ...exampleBody(batch), keep_pages: 'all' } });
  expect(record).toMatchObject({ scrape_config: {}, keep_pages: 'all', max_credits: null });
  expect(record['scrape_config']).toEqual({});
});
