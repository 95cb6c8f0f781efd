import { setTimeout as delay } from 'node:timers/promises';
import { writeReleased, type TaskOutcome } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import {
  callOnce,
  createChunkSweeper,
  createTestAccount,
  openTestDoor,
  refusalOf,
} from '@gleaner/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSinkOpener } from './sinks.ts';
import { startWorker, type TestWorker } from '../testing/chunk-harness.ts';

const { services, close } = await openTestDoor();
const { sql } = services.db;
const { apiKey } = await createTestAccount(services, { credits: 10_000, concurrency: 20 });
let worker: TestWorker;
let parserId: string;
let database: string;

/** A page shows its own address; those that end with `bad` have no data. */
async function behave(input: string): Promise<TaskOutcome> {
  if (input.endsWith('bad')) return { ok: false, error: { code: 'extraction_failed', retryable: false } };
  const data = { title: `page ${input}`, next: `${input}/next` };
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
  if (answer.kind !== 'stream') throw new Error(`an answer of the kind ${answer.kind}`);
  const parts: Buffer[] = [];
  for await (const part of answer.stream) parts.push(Buffer.from(part));
  return { id: '', text: Buffer.concat(parts).toString() };
}

beforeAll(async () => {
  worker = await startWorker(services, behave, { openSink: createSinkOpener(services) });
  const schema = { fields: { title: 'h1', next: { css: 'a@href', type: 'url' } } };
  parserId = (await call('createParser', { body: { name: 'p', schema } })).id;
  database = (await call('createDatabase', { body: { name: 'd', kind: 'managed' } })).id;
});
afterAll(async () => {
  await worker.stop();
  expect(await findViolations(services.db)).toEqual([]);
  await close();
});

async function awaitEnd(id: string): Promise<void> {
  const sweep = createChunkSweeper(services);
  const until = Date.now() + 120_000;
  for (;;) {
    const [run] = await sql<{ state: string }[]>`SELECT state FROM gleaner.runs WHERE id = ${id}`;
    if (run && !['pending', 'running'].includes(run.state)) return;
    if (Date.now() > until) throw new Error(`${id} has not ended`);
    await sweep();
    await delay(30);
  }
}

function target() {
  return { type: 'parser', parserId };
}
function table(name: string, more: object = {}) {
  return { mode: 'database', database, table: name, ...more };
}
async function readTable(name: string): Promise<Record<string, unknown>[]> {
  const { rows } = await call('listRows', { params: { id: database, table: name }, query: { limit: 100 } });
  return (rows as Record<string, unknown>[]).map(
    ({ _fetched_at, _run_id, next: _next, title: _title, ...row }) => row,
  );
}
function of(id: string) {
  return { params: { id }, query: { limit: 100 } };
}

const INPUTS = [
  { url: 'http://a.test/1', sku: 'A', stock: 3, other: 'x' },
  { url: 'http://a.test/1', sku: 'B' },
  { url: 'http://a.test/bad', sku: 'C', stock: null },
];

it('a batch keeps values of its inputs in results, failures, inputs, exports and re-runs', async () => {
  const carry = { sku: 'sku', in_stock: 'stock' };
  const batch = await call('createBatch', {
    body: { target: target(), inputs: INPUTS, carry, dedupe: true },
  });
  expect(batch).toMatchObject({ carry });
  await awaitEnd(batch.id);
  const kept = [
    { sku: 'A', stock: 3 },
    { sku: 'B', stock: null },
    { sku: 'C', stock: null },
  ];
  const shown = async (operation: string, list: string) =>
    ((await call(operation, of(batch.id)))[list] as object[]).map((one) => 'input' in one && one.input);
  expect(await shown('getBatchResults', 'results')).toEqual(kept.slice(0, 2));
  expect(await shown('getBatchInputs', 'inputs')).toEqual(kept);
  expect(await shown('getBatchFailures', 'failures')).toEqual(kept.slice(2));
  expect(await call('getBatchFailures', of(batch.id))).toMatchObject({
    causes: [{ example: { url: 'http://a.test/bad', input: kept[2] } }],
  });
  const exported = async (format: string) =>
    (await call('exportBatch', { params: { id: batch.id }, query: { format } }))['text'];
  expect(
    String(await exported('csv'))
      .split('\n')
      .slice(0, 3),
  ).toEqual([
    'url,sku,in_stock,title,next',
    'http://a.test/1,A,3,page http://a.test/1,http://a.test/1/next',
    'http://a.test/1,B,,page http://a.test/1,http://a.test/1/next',
  ]);
  expect(JSON.parse(String(await exported('ndjson')).split('\n')[0] ?? '')).toMatchObject({ input: kept[0] });
  await call('retryBatch', { params: { id: batch.id }, body: {} });
  await awaitEnd(batch.id);
  expect(await shown('getBatchFailures', 'failures')).toEqual(kept.slice(2));
});

it('a table has a column for each value, and its key may name them', async () => {
  const sink = table('named', { key: ['_url', 'sku'] });
  const batch = await call('createBatch', {
    body: { target: target(), inputs: INPUTS, carry: ['sku', 'stock'], sink },
  });
  await awaitEnd(batch.id);
  expect(await readTable('named')).toEqual([
    { _url: 'http://a.test/1', sku: 'A', stock: '3' },
    { _url: 'http://a.test/1', sku: 'B', stock: null },
  ]);
});

it('rows that were held back, and pages that are parsed again, have the values of their inputs', async () => {
  const sink = table('held', { key: ['_url', 'sku'] });
  const batch = await call('createBatch', {
    body: { target: target(), inputs: INPUTS.slice(0, 2), carry: ['sku'], sink },
  });
  await awaitEnd(batch.id);
  await sql.unsafe(`DELETE FROM "${database}".held`);
  await sql`
    INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
    SELECT no, 1, account_id, ${parserId}, 1, 'a.test', 'releasing', 'http://a.test/1', '{"title": "held"}', 'r', now()
    FROM gleaner.runs WHERE id = ${batch.id}`;
  await writeReleased(services);
  expect(await readTable('held')).toEqual([{ _url: 'http://a.test/1', sku: 'B' }]);
  await sql`
    INSERT INTO gleaner.kept_pages (id, account_id, run_no, run_id, seq, url, final_url, http_status, fetched_at, hash, size_bytes, expires_at)
    SELECT 'pag_' || s, account_id, no, id, s, 'http://a.test/1', 'http://a.test/1', 200, now(), '', 1, now() + interval '1 day'
    FROM gleaner.runs, generate_series(0, 1) s WHERE id = ${batch.id}`;
  const again = await call('reparseBatch', { params: { id: batch.id }, body: { pages: 'all' } });
  expect(again).toMatchObject({ carry: { sku: 'sku' } });
  await awaitEnd(again.id);
  expect(await readTable('held')).toEqual(['A', 'B'].map((sku) => ({ _url: 'http://a.test/1', sku })));
});

async function* formOf(fields: Readonly<Record<string, string>>, file: string) {
  for (const [name, value] of Object.entries(fields)) yield { kind: 'field', name, value };
  yield {
    kind: 'file',
    name: 'file',
    filename: 'inputs.csv',
    contentType: 'text/csv',
    stream: (async function* () {
      yield Buffer.from(file);
    })(),
  };
}

it('true keeps all columns of a CSV; the keys of many inputs are loaded with them', async () => {
  const rows = Array.from(
    { length: 1_500 },
    (_, place) => `${place},"a, ""${place}""",http://b.test/${place}`,
  );
  const fields = { target: JSON.stringify(target()), sink: JSON.stringify(table('csv')), carry: 'true' };
  const batch = await call('createBatch', { upload: formOf(fields, `Sku,note,url\n${rows.join('\n')}\n`) });
  expect(batch).toMatchObject({ carry: { note: 'note', sku: 'sku' } });
  await awaitEnd(batch.id);
  const [count] = await sql.unsafe(
    `SELECT count(*)::int AS rows, count(DISTINCT sku)::int AS skus, min(note) FILTER (WHERE sku = '7') AS seventh,
      bool_and(_url = 'http://b.test/' || sku) AS is_own FROM "${database}".csv`,
  );
  expect(count).toEqual({ rows: 1_500, skus: 1_500, seventh: 'a, "7"', is_own: true });
});

const BODY = { inputs: INPUTS.slice(0, 2) };
it.each<[string, () => object, object]>([
  [
    'a field’s name',
    () => ({ ...BODY, inputs: [{ url: 'http://a.test/', title: 'x' }], carry: ['title'] }),
    { field: 'carry', hint: 'Name the column: "carry": {"input_title":"title"}.' },
  ],
  [
    'a field’s name among all values',
    () => ({ inputs: [{ url: 'http://a.test/', title: 'x' }], carry: true }),
    { field: 'carry', hint: expect.stringContaining('input_title') },
  ],
  [
    'a value that no input has',
    () => ({ ...BODY, carry: ['sku', 'skuu'] }),
    { field: 'carry', detail: 'no input has a value skuu' },
  ],
  [
    'a name that no column may have',
    () => ({ inputs: [{ url: 'http://a.test/', 'Product Name': 1 }], carry: true }),
    { field: 'carry', hint: 'Name the column: "carry": {"product_name":"Product Name"}.' },
  ],
  [
    'values of more than 4 KB',
    () => ({ inputs: [{ url: 'http://a.test/', sku: 'x'.repeat(4_090) }], carry: ['sku'] }),
    { field: 'inputs[0]' },
  ],
  [
    'an object for a column of texts',
    () => ({ inputs: [{ url: 'http://a.test/', sku: { a: 1 } }], carry: ['sku'], sink: table('refused') }),
    { field: 'inputs[0]', detail: '{"a":1} does not fit column sku, which is text' },
  ],
  [
    'rows that share their key',
    () => ({ ...BODY, carry: ['sku'], sink: table('refused') }),
    { field: 'inputs[1]', detail: 'shares the key of its row (_url) with an earlier input' },
  ],
  [
    'a key without a value',
    () => ({
      inputs: ['A', null].map((sku) => ({ url: 'http://a.test/', sku })),
      carry: ['sku'],
      sink: table('refused', { key: ['sku'] }),
    }),
    { field: 'inputs[1]', detail: 'gives no value for a column of the key: sku' },
  ],
  ['a source', () => ({ source: { feed: 'http://a.test/' }, carry: ['sku'] }), { field: 'carry' }],
  [
    'values without carry',
    () => BODY,
    { field: 'inputs[0]', detail: expect.stringContaining('carry keeps') },
  ],
  [
    'a prebuilt API',
    () => ({ inputs: [{}], target: { type: 'api', id: 'videosite-video' }, carry: true }),
    { field: 'carry' },
  ],
])('refuses %s, charges nothing and stores nothing', async (_name, body, options) => {
  const [before] = await sql`SELECT balance, reserved FROM gleaner.accounts ORDER BY generation DESC LIMIT 1`;
  const made = callOnce(services, 'createBatch', { apiKey }, { body: { target: target(), ...body() } });
  expect(await refusalOf(made)).toMatchObject({ code: 'invalid_request', options });
  const [after] = await sql`SELECT balance, reserved FROM gleaner.accounts ORDER BY generation DESC LIMIT 1`;
  expect(after).toEqual(before);
  expect(await sql`SELECT FROM pg_tables WHERE schemaname = ${database} AND tablename = 'refused'`).toEqual(
    [],
  );
});

it('a dry run counts the inputs that share the key of their row', async () => {
  const body = { target: target(), inputs: INPUTS, carry: ['sku'], sink: table('dry'), dry_run: true };
  expect(await call('createBatch', { body })).toMatchObject({
    inputs: 2,
    refused_count: 1,
    refused: [{ index: 1, detail: expect.stringContaining('shares the key') }],
  });
});

it('all stages of a workflow keep what its run carries, and one what it names of the input', async () => {
  const second = { from: { path: '$.next' }, target: target() };
  const stages = [
    { name: 'list', target: target() },
    { name: 'named', ...second, sink: table('named_of_input', { carry: { code: '$.input.Product Code' } }) },
    { name: 'plain', ...second, from: { stage: 'list', path: '$.next' }, sink: table('plain') },
  ];
  const workflow = await call('createWorkflow', { body: { name: 'w', stages } });
  const long = 'x'.repeat(600);
  const inputs = [
    { url: 'http://w.test/1', sku: 'A', 'Product Code': 7 },
    { url: 'http://w.test/2', sku: long },
  ];
  const params = { id: workflow.id };
  const run = await call('createWorkflowRun', { params, body: { inputs, carry: ['sku'] } });
  expect(run).toMatchObject({ carry: { sku: 'sku' } });
  await awaitEnd(run.id);
  const own = [
    { _url: 'http://w.test/1/next', sku: 'A' },
    { _url: 'http://w.test/2/next', sku: long },
  ];
  expect(await readTable('plain')).toEqual(own);
  expect(await readTable('named_of_input')).toEqual([
    { ...own[0], code: '7' },
    { ...own[1], code: null },
  ]);
  expect((await call('getWorkflowRunResults', of(run.id)))['results']).toMatchObject([
    { url: 'http://w.test/1', input: { sku: 'A' } },
    { url: 'http://w.test/2', input: { sku: long } },
  ]);
  // Without carry, a stage still has what it names.
  const plain = await call('createWorkflowRun', { params, body: { urls: ['http://w.test/3'] } });
  await awaitEnd(plain.id);
  expect((await readTable('named_of_input')).at(-1)).toEqual({
    _url: 'http://w.test/3/next',
    code: null,
    sku: null,
  });
});

it('a cron’s runs keep values of its inputs', async () => {
  const body = {
    name: 'c',
    description: '',
    schedule: '0 0 1 1 *',
    target: target(),
    sink: table('of_cron', { key: ['sku'] }),
  };
  const cron = await call('createCron', { body: { ...body, inputs: INPUTS.slice(0, 2), carry: true } });
  expect(cron).toMatchObject({ carry: true });
  const firing = await call('triggerCron', { params: { id: cron.id } });
  await awaitEnd(String(firing['run_id']));
  expect(await readTable('of_cron')).toEqual([
    { _url: 'http://a.test/1', other: 'x', sku: 'A', stock: '3' },
    { _url: 'http://a.test/1', other: null, sku: 'B', stock: null },
  ]);
  expect(await call('getCron', { params: { id: cron.id } })).toMatchObject({ carry: true });
});
