import { tellChanges, type TaskOutcome } from '@gleaner/core';
import { ENGINE } from '@gleaner/db';
import { callOnce, createTestAccount, openTestDoor } from '@gleaner/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorker, type TestWorker } from '../testing/chunk-harness.ts';
import { createSinkOpener } from './sinks.ts';

const { services, close } = await openTestDoor();
const { sql } = services.db;
const { apiKey } = await createTestAccount(services, { credits: 10_000, concurrency: 20 });
const prices = new Map<string, number>();
let worker: TestWorker;

async function behave(input: string): Promise<TaskOutcome> {
  const data = { title: `page ${input}`, price: prices.get(input) ?? 10 };
  return {
    ok: true,
    answer: JSON.stringify(data),
    finalUrl: input,
    httpStatus: 200,
    fetchedAt: new Date().toISOString(),
    bytes: 10,
  };
}

interface Called {
  id: string;
  [name: string]: unknown;
}

async function call(operation: string, input: object = {}): Promise<Called> {
  const { answer } = await callOnce(services, operation, { apiKey }, input);
  if (answer.kind === 'json-text') return JSON.parse(answer.jsonText) as Called;
  if (answer.kind === 'json') return answer.value as Called;
  throw new Error(`an answer of the kind ${answer.kind}`);
}

interface Delivered {
  webhook: string;
  data: { run_id: string; table: string; counts: object; changes: { key: { _url: string } }[] };
}

/** The events that were emitted and not yet looked at. */
async function takeEvents(): Promise<Delivered[]> {
  return sql<Delivered[]>`
    WITH taken AS (DELETE FROM gleaner.outbox WHERE event = 'rows.changed' RETURNING *)
    SELECT t.webhook_id AS webhook, (coalesce(e.payload, t.payload)::json) -> 'data' AS data
    FROM taken t LEFT JOIN gleaner.webhook_events e ON e.no = t.event_no ORDER BY t.webhook_id`;
}

beforeAll(async () => {
  worker = await startWorker(services, behave, { openSink: createSinkOpener(services) });
});
afterAll(async () => {
  await worker.stop();
  await close();
});

it('rows.changed tells each listener once, per run and table, what it asked for', async () => {
  const schema = { fields: { title: 'h1', price: { css: 'b', type: 'number' } } };
  const parserId = (await call('createParser', { body: { name: 'p', schema } })).id;
  const database = (await call('createDatabase', { body: { name: 'd', kind: 'managed' } })).id;
  const sink = { mode: 'database', database, table: 'prices', history: true, key: ['_url'] };
  const urls = ['http://h/1', 'http://h/2', 'http://h/3'];
  const run = async (): Promise<string> => {
    const { id } = await call('createBatch', { body: { target: { type: 'parser', parserId }, urls, sink } });
    await expect
      .poll(async () => (await call('getBatch', { params: { id } }))['status'], { timeout: 100_000 })
      .toBe('succeeded');
    return id;
  };
  const listen = async (filter?: object): Promise<string> => {
    const body = { url: 'http://hooks.example/', events: ['rows.changed'], ...(filter && { filter }) };
    const made = await call('createWebhook', { body });
    expect(made['filter']).toEqual(filter ?? {});
    return made.id;
  };
  const falls = [{ column: 'price', op: 'falls', by: '5%' }];
  const all = await listen();
  const some = await listen({ table: 'prices', where: falls });
  await listen({ table: 'others' });

  const first = await run();
  expect(await sql`SELECT 1 FROM gleaner.told_runs WHERE due_at IS NOT NULL`).toHaveLength(1);
  await tellChanges(services);
  expect(await takeEvents()).toMatchObject([
    { webhook: all, data: { run_id: first, table: 'prices', counts: { new: 3, changed: 0 } } },
  ]);
  prices.set('http://h/1', 9.9).set('http://h/2', 8);
  const second = await run();
  // Two leaders at once tell it once.
  await Promise.all([tellChanges(services), tellChanges(services)]);
  const events = await takeEvents();
  expect(events.map(({ webhook, data }) => [webhook, data.changes.map(({ key }) => key._url)])).toEqual([
    [all, ['http://h/1', 'http://h/2']],
    [some, ['http://h/2']],
  ]);
  expect(events[1]?.data).toMatchObject({
    run_id: second,
    database: { id: database, name: 'd' },
    counts: { changed: 1 },
  });
  // A run that ends again tells what is new since.
  await sql`SELECT ${sql(ENGINE)}.emit_run_event(no) FROM gleaner.runs WHERE id = ${second}`;
  await tellChanges(services);
  expect(await takeEvents()).toEqual([]);
  expect(await sql`SELECT 1 FROM gleaner.told_runs WHERE due_at IS NOT NULL`).toEqual([]);
});

it('filters of rows.changed that can’t be meant are refused', async () => {
  for (const [where, field] of [
    [{ column: 'price', op: 'crosses' }, 'filter.where[0].value'],
    [{ column: 'price', op: 'falls', value: 3 }, 'filter.where[0].value'],
    [{ column: 'price', op: 'falls', by: 'much' }, 'filter.where[0].by'],
    [{ column: 'price', op: 'crosses', value: 3, by: 2 }, 'filter.where[0].by'],
  ] as const) {
    const body = { url: 'http://hooks.example/', events: ['rows.changed'], filter: { where: [where] } };
    await expect(callOnce(services, 'createWebhook', { apiKey }, { body })).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: expect.stringContaining(field) },
    });
  }
});
