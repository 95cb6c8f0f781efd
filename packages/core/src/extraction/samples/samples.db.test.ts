import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallInput } from '../../operations/call-input.ts';
import type { OperationServices } from '../../operations/operation-services.ts';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../../operations/testing/test-calls.ts';
import { createTestAccount, type TestServices } from '../../testing/test-services.ts';

const SCHEMA = { fields: { title: 'h1', price: { css: '.price', type: 'number' } } };
const HTML = '<h1>Kettle</h1><p class="price">$12.50</p><p class="old">$20.00</p>';

let door: Omit<TestServices, 'services'> & { services: OperationServices };
let services: OperationServices;
let apiKey: string;
beforeAll(async () => {
  door = await openTestDoor();
  ({ services } = door);
  ({ apiKey } = await createTestAccount(services));
});
afterAll(() => door.close());

async function call<T>(id: string, input: CallInput, key = apiKey): Promise<T> {
  return valueOf(await callOnce(services, id, { apiKey: key }, input)) as T;
}

async function createParser(): Promise<string> {
  const { id } = await call<{ id: string }>('createParser', { body: { name: 'shop', schema: SCHEMA } });
  return id;
}

interface Saved {
  version: number;
  changes: object[];
}

test('a new version is tried on the samples, and says what it reads differently', async () => {
  const params = { id: await createParser() };
  const sample = await call<{ id: string }>('createParserSample', { params, body: { html: HTML } });
  const schema = { fields: { title: 'h1', price: { css: '.old', type: 'number' } } };
  expect(await call<Saved>('updateParser', { params, body: { schema } })).toMatchObject({
    version: 2,
    changes: [{ sample: sample.id, field: 'price', before: 12.5, after: 20 }],
  });
});

test('a version that breaks an expectation is refused, unless it is forced', async () => {
  const params = { id: await createParser() };
  const sample = await call<{ id: string }>('createParserSample', {
    params,
    body: { html: HTML, expected: 'current' },
  });
  const schema = { fields: { title: 'h1', price: { css: '.gone', type: 'number' } } };
  const error = await refusalOf(call('updateParser', { params, body: { schema } }));
  expect(error.code).toBe('regression');
  expect(error.options.detail).toBe(`${sample.id}: price is null, expected 12.5`);
  expect(await call('getParser', { params })).toMatchObject({ version: 1 });
  expect(await call<Saved>('updateParser', { params, body: { schema, force: true } })).toMatchObject({
    version: 2,
    changes: [{ field: 'price', before: 12.5, after: null, expected: 12.5 }],
  });
  // What only touches a field without an expectation is saved.
  await callOnce(services, 'deleteParserSample', { apiKey }, { params: { ...params, sample: sample.id } });
  await call('createParserSample', { params, body: { html: HTML, expected: { title: 'Kettle' } } });
  const restore = { params: { ...params, n: '1' }, query: {} };
  expect(await call<Saved>('restoreParserVersion', restore)).toMatchObject({
    version: 3,
    changes: [{ field: 'price', before: null, after: 12.5 }],
  });
});

test('samples are listed and deleted, by their account alone, and are at most 50', async () => {
  const params = { id: await createParser() };
  for (let count = 0; count < 50; count += 1)
    await call('createParserSample', { params, body: { html: HTML, url: 'https://shop.example/' } });
  const error = await refusalOf(call('createParserSample', { params, body: { html: HTML } }));
  expect(error.code).toBe('plan_limit_exceeded');
  const { samples } = await call<{ samples: { id: string }[] }>('listParserSamples', { params });
  expect(samples).toHaveLength(50);
  const other = await createTestAccount(services);
  expect((await refusalOf(call('listParserSamples', { params }, other.apiKey))).code).toBe('not_found');
  const gone = { params: { ...params, sample: samples[0]?.id ?? '' } };
  expect((await refusalOf(callOnce(services, 'deleteParserSample', other, gone))).code).toBe('not_found');
  await callOnce(services, 'deleteParserSample', { apiKey }, gone);
  expect((await call<{ samples: unknown[] }>('listParserSamples', { params })).samples).toHaveLength(49);
});
