import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallInput } from '../../operations/call-input.ts';
import type { OperationServices } from '../../operations/operation-entry.ts';
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
  // The page reads otherwise than a reader before read it: no version is to blame, and what was right still counts.
  await callOnce(services, 'deleteParserSample', { apiKey }, { params: { ...params, sample: sample.id } });
  const expected = { title: 'Kettle', price: 1250 };
  const pinned = await call<{ id: string }>('createParserSample', { params, body: { html: HTML, expected } });
  await call('updateParser', { params, body: { schema: SCHEMA, force: true } });
  const noPrice = { fields: { title: 'h1', price: { css: '.old', type: 'number' } } };
  expect(await call<Saved>('updateParser', { params, body: { schema: noPrice } })).toMatchObject({
    changes: [{ field: 'price', before: 12.5, after: 20, expected: 1250 }],
  });
  const noTitle = { fields: { ...noPrice.fields, title: 'h2' } };
  const broken = await refusalOf(call('updateParser', { params, body: { schema: noTitle } }));
  expect(broken.options.detail).toBe(`${pinned.id}: title is null, expected "Kettle"`);
  await call('updateParser', { params, body: { schema, force: true } });
  // What only touches a field without an expectation is saved.
  await callOnce(services, 'deleteParserSample', { apiKey }, { params: { ...params, sample: pinned.id } });
  await call('createParserSample', { params, body: { html: HTML, expected: { title: 'Kettle' } } });
  const restore = { params: { ...params, n: '1' }, query: {} };
  expect(await call<Saved>('restoreParserVersion', restore)).toMatchObject({
    version: 6,
    changes: [{ field: 'price', before: null, after: 12.5 }],
  });
});

test('versions and unsaved schemas are compared on the samples without saving', async () => {
  const params = { id: await createParser() };
  const sample = await call<{ id: string }>('createParserSample', {
    params,
    body: { html: HTML, expected: { price: 12.5 } },
  });
  const schema = { fields: { title: 'h1', price: { css: '.old', type: 'number' } } };
  const change = { sample: sample.id, field: 'price', before: 12.5, after: 20, expected: 12.5 };
  expect(await call('compareParserVersions', { params, body: { schema } })).toMatchObject({
    before: 1,
    after: null,
    samples: 1,
    changes: [change],
    broken: 1,
  });
  expect(await call('getParser', { params })).toMatchObject({ version: 1 });
  await call('updateParser', { params, body: { schema, force: true } });
  expect(await call('compareParserVersions', { params, body: { before: 1, after: 2 } })).toMatchObject({
    before: 1,
    after: 2,
    changes: [change],
  });
  const absent = call('compareParserVersions', { params, body: { after: 7 } });
  expect((await refusalOf(absent)).code).toBe('not_found');
  const both = call('compareParserVersions', { params, body: { after: 1, schema } });
  expect((await refusalOf(both)).code).toBe('invalid_request');
});

test('a comparison shortens long values, after it has judged them whole', async () => {
  const long = 'a'.repeat(50_000);
  const schema = { fields: { title: 'h1' } };
  const { id } = await call<{ id: string }>('createParser', { body: { name: 'long titles', schema } });
  const html = `<h1>${long}</h1>`;
  await call('createParserSample', { params: { id }, body: { html, expected: { title: `${long}b` } } });
  const body = { schema: { fields: { title: { css: 'h1', transform: [{ template: '{value}b' }] } } } };
  const { changes, broken } = await call<{ changes: { before: string; after: string }[]; broken: number }>(
    'compareParserVersions',
    { params: { id }, body },
  );
  expect(broken).toBe(0);
  expect(changes.map(({ before, after }) => [before.length, after.length])).toEqual([[10_001, 10_001]]);
});

test('what a sample expects is changed by field, and it shows what the current version reads', async () => {
  const params = { id: await createParser() };
  const { id: sample } = await call<{ id: string }>('createParserSample', { params, body: { html: HTML } });
  const own = { params: { ...params, sample } };
  expect(await call('getParserSample', own)).toMatchObject({
    html: HTML,
    expected: null,
    read: { title: 'Kettle', price: 12.5 },
  });
  const pin = (expected: unknown) => call('updateParserSample', { ...own, body: { expected } });
  expect(await pin({ title: 'Kettle' })).toMatchObject({ expected: { title: 'Kettle' } });
  expect(await pin('current')).toMatchObject({ expected: { title: 'Kettle', price: 12.5 } });
  expect(await pin(null)).toMatchObject({ expected: null });
  const { apiKey: stranger } = await createTestAccount(services);
  expect((await refusalOf(call('getParserSample', own, stranger))).code).toBe('not_found');
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

test('a sample expects a bounded amount, and fields may be named as members of every object', async () => {
  const params = { id: await createParser() };
  const huge = { title: 'x'.repeat(1_000_000) };
  const refused = await refusalOf(
    call('createParserSample', { params, body: { html: HTML, expected: huge } }),
  );
  expect(refused).toMatchObject({ code: 'invalid_request', options: { field: 'expected' } });
  const sample = await call<{ id: string }>('createParserSample', {
    params,
    body: { html: HTML, expected: { constructor: null, toString: null } },
  });
  const changed = await refusalOf(
    call('updateParserSample', { params: { ...params, sample: sample.id }, body: { expected: huge } }),
  );
  expect(changed.code).toBe('invalid_request');
  // No version reads these fields, so both are null as expected.
  const schema = { fields: { title: 'h1', price: { css: '.price', type: 'number' }, old: '.old' } };
  expect(await call<Saved>('updateParser', { params, body: { schema } })).toMatchObject({
    changes: [{ field: 'old' }],
  });
});

test('all samples of a parser expect a bounded amount, and changes show their addresses within one', async () => {
  const fields = (css: string) =>
    Object.fromEntries(Array.from({ length: 200 }, (_, field) => [`field_${field}`, css]));
  const body = { name: 'wide', schema: { fields: fields('h1') } };
  const params = { id: (await call<{ id: string }>('createParser', { body })).id };
  const add = (expected: object | undefined, place: number) =>
    call<{ id: string }>('createParserSample', {
      params,
      body: { html: HTML, url: `https://a.test/${place}?${'x'.repeat(8_000)}`, expected },
    });
  const large = { other: 'x'.repeat(999_000) };
  for (let place = 0; place < 8; place += 1) await add(large, place);
  const { code } = await refusalOf(add(large, 8));
  expect(code).toBe('plan_limit_exceeded');
  const small = await add(undefined, 8);
  const grown = call('updateParserSample', {
    params: { ...params, sample: small.id },
    body: { expected: large },
  });
  expect((await refusalOf(grown)).code).toBe('plan_limit_exceeded');
  const compared = await call<{ changes: { url: string }[] }>('compareParserVersions', {
    params,
    body: { schema: { fields: fields('.price') } },
  });
  expect(compared.changes).toHaveLength(9 * 200 + 8);
  expect(JSON.stringify(compared.changes).length).toBeLessThan(10_000_000);
});
