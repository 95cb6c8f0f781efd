import { afterAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../../operations/testing/test-calls.ts';
import { createTestParser } from '../../testing/submit-services.ts';
import { createTestAccount } from '../../testing/test-services.ts';
import { keepResults } from './keep-batch.ts';

const { services, close } = await openTestDoor();
afterAll(close);
const { sql } = services.db;
const owner = await createTestAccount(services, { credits: 10_000 });
const parserId = await createTestParser(services, owner.accountId, [
  { fields: { name: 'h1', price: { css: 'b', type: 'number' } } },
]);
const database = await idOf('createDatabase', { body: { name: 'd', kind: 'managed' } });

async function call(operation: string, input: object): Promise<unknown> {
  return valueOf(await callOnce(services, operation, owner, input));
}
async function idOf(operation: string, input: object): Promise<string> {
  return ((await call(operation, input)) as { id: string }).id;
}
function sinkTo(table: string, more: object = {}) {
  return { sink: { database, table, ...more } };
}
function createBatch(): Promise<string> {
  const inputs = [1, 2, 3].map((n) => ({ url: `http://a.test/${n}`, sku: `S${n}` }));
  return idOf('createBatch', { body: { target: { type: 'parser', parserId }, inputs, carry: ['sku'] } });
}
async function addResult(id: string, seq: number, answer: object): Promise<void> {
  await sql`INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer)
    SELECT no, ${seq}, 1, 1, true, ${JSON.stringify(answer)} FROM gleaner.runs WHERE id = ${id}`;
}
async function endBatch(id: string): Promise<void> {
  const [run] = await sql<{ no: string }[]>`
    UPDATE gleaner.runs SET state = 'succeeded', succeeded = total, carved = total WHERE id = ${id} RETURNING no::text AS no`;
  await sql`DELETE FROM gleaner.chunks WHERE run_no = ${run?.no ?? ''}`;
}
function kept(id: string): Promise<unknown> {
  return call('getBatchKeep', { params: { id } });
}

it('the results of a batch become rows, with those that come later, and it is kept once at a time', async () => {
  const id = await createBatch();
  const keep = (more?: object) =>
    callOnce(services, 'keepBatch', owner, { params: { id }, body: sinkTo('kept', more) });
  expect(await refusalOf(callOnce(services, 'getBatchKeep', owner, { params: { id } }))).toMatchObject({
    code: 'not_found',
  });
  expect(await refusalOf(keep({ key: ['color'] }))).toMatchObject({ options: { field: 'sink.key' } });
  expect(valueOf(await keep({ types: { price: 'numeric(6,2)' } }))).toMatchObject({
    table: 'kept',
    status: 'running',
    results: 0,
  });
  expect(await refusalOf(keep())).toMatchObject({ code: 'in_use' });
  await addResult(id, 0, { name: 'a', price: 1.5 });
  await keepResults(services);
  expect(await kept(id)).toMatchObject({ status: 'running' });
  await addResult(id, 1, { name: 'b', price: 1.234 });
  await addResult(id, 2, { name: 'c', price: null });
  await endBatch(id);
  await keepResults(services);
  expect(await kept(id)).toMatchObject({
    status: 'succeeded',
    results: 3,
    refused: 1,
    detail: expect.stringContaining('column price of table kept is numeric(6,2)') as string,
  });
  const rows = await sql.unsafe(
    `SELECT _url, _run_id, name, price::text, sku, _fetched_at <= now() AS is_past FROM "${database}".kept ORDER BY 1`,
  );
  const common = { _run_id: id, is_past: true };
  expect([...rows]).toEqual([
    { _url: 'http://a.test/1', name: 'a', price: '1.50', sku: 'S1', ...common },
    { _url: 'http://a.test/3', name: 'c', price: null, sku: 'S3', ...common },
  ]);
});

it('rows of one address that inputs tell apart need a key, and a table that took none of them is no success', async () => {
  const inputs = ['a', 'b'].map((sku) => ({ url: 'http://a.test/same', sku }));
  const id = await idOf('createBatch', {
    body: { target: { type: 'parser', parserId }, inputs, carry: ['sku'] },
  });
  await addResult(id, 0, { name: 'a', price: 1.5 });
  await addResult(id, 1, { name: 'a', price: 1.5 });
  await endBatch(id);
  const keep = (more?: object) =>
    callOnce(services, 'keepBatch', owner, { params: { id }, body: sinkTo('same', more) });
  expect(await refusalOf(keep())).toMatchObject({
    options: { field: 'sink.key', hint: expect.stringContaining('["_url", "sku"]') as string },
  });
  valueOf(await keep({ key: ['_url', 'sku'], types: { price: 'integer' } }));
  await keepResults(services);
  expect(await kept(id)).toMatchObject({ status: 'failed', results: 2, refused: 2 });
  valueOf(
    await callOnce(services, 'keepBatch', owner, { params: { id }, body: sinkTo('other', { key: ['sku'] }) }),
  );
  await keepResults(services);
  expect(await kept(id)).toMatchObject({ status: 'succeeded', table: 'other', results: 2, refused: 0 });
});

it('what can’t be written or is gone has failed, and is tried again by another call', async () => {
  const id = await createBatch();
  await addResult(id, 0, { name: 'a', price: 1 });
  await endBatch(id);
  const keep = () => call('keepBatch', { params: { id }, body: sinkTo('later') });
  await keep();
  await sql.unsafe(`CREATE TABLE "${database}".later (name text PRIMARY KEY)`);
  await keepResults(services);
  expect(await kept(id)).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('has the key name') as string,
  });
  await sql.unsafe(`DROP TABLE "${database}".later`);
  expect(await keep()).toMatchObject({ status: 'running', detail: null });
  await callOnce(services, 'deleteBatch', owner, { params: { id } });
  await keepResults(services);
  expect(await kept(id)).toMatchObject({ status: 'failed', detail: 'the results were removed' });
});
