import { exampleOf, isApiId, isForPrograms, type Operation } from '@gleaner/contracts';
import { operationTable } from '@gleaner/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Answer, Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let site: Site;
let client: Client;

beforeAll(async () => {
  site = await startSite();
  client = await system.client();
});
afterAll(() => site.close());

/** Records that the examples name, by the prefix of their ids. */
const records = new Map<string, string>();

function localise(text: string): string {
  return text
    .replaceAll(/https:\/\/example\.com\/(?=["?])/g, `${site.url}/product`)
    .replaceAll(
      /\b(prs|smp|job|bat|db|crn|wfl|run|alr|whk|dlv)_[0-9a-z]{26}\b/g,
      (id, prefix: string) => records.get(prefix) ?? id,
    );
}

async function send(operation: Operation): Promise<Answer> {
  const { params = {}, query = {}, body } = exampleOf(operation);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    localise(params[name] ?? ''),
  );
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [
      name,
      JSON.parse(localise(JSON.stringify(value))) as string,
    ]),
  ).toString();
  return client.call(
    operation.method,
    `${path}${search === '' ? '' : `?${search}`}`,
    body === undefined ? undefined : JSON.parse(localise(JSON.stringify(body))),
  );
}

const operations = operationTable
  .map(({ operation }) => operation)
  // A stream of events ends with its batch, and the prebuilt sites are not in this test.
  .filter(isForPrograms)
  .filter(({ answer, path }) => answer.kind !== 'events' && !isApiId(path.slice('/v1/'.length)));

/** What can't be done to the records of this test, and says so: nothing has failed, all has ended, nothing was sent. */
const REFUSALS: Readonly<Record<string, readonly number[]>> = {
  cancelBatch: [409],
  cancelJob: [409],
  cancelWorkflowRun: [409],
  retryBatch: [409],
  retryWorkflowRun: [409],
  reparseBatch: [404, 409],
  // Nothing of the run waits.
  publishRun: [409],
  discardRun: [409],
  parsePages: [404],
  restoreParserVersion: [200],
  replayDelivery: [404],
  replayWebhookDelivery: [404],
  getPage: [404],
  // The example before has disabled them.
  testAlert: [400],
  testWebhook: [400],
  // The cron of this test was made after those times.
  backfillCron: [400],
  // Nothing is wrong with the parser: no field is absent.
  decideAbsentFields: [400],
  // Nothing is wrong with the parser, so there are no pages to learn from.
  proposeParserRepair: [400, 404],
  getFile: [404],
  // It is read before it is made.
  getBatchKeep: [404],
  // The example that begins the history comes later.
  getChanges: [404],
  getRowHistory: [404],
};

const CREATORS = [
  'createParser',
  'createParserSample',
  'createDatabase',
  'createBatch',
  'createJob',
  'createCron',
  'createAlert',
  'createWebhook',
  'createWorkflow',
  'createWorkflowRun',
  'createCrawl',
];

/** Dependants go before what they use. */
const LAST = [
  'deleteJob',
  'deleteBatch',
  'deleteWorkflowRun',
  'deleteCron',
  'deleteWorkflow',
  'dropTable',
  'deleteDatabase',
  'deleteParser',
  'deleteAlert',
  'deleteWebhook',
];

function expectWorking({ id }: Operation, { status, text }: Answer): void {
  const isRefused = REFUSALS[id]?.includes(status) === true;
  expect(isRefused || (status >= 200 && status < 300) ? 'works' : `${status} ${text}`, id).toBe('works');
}

test('the examples of the documentation work, one after another, on a fresh account', async () => {
  const find = (ids: readonly string[]): Operation[] =>
    ids.flatMap((id) => operations.find((operation) => operation.id === id) ?? []);
  for (const operation of find(CREATORS)) {
    const answer = await send(operation);
    expectWorking(operation, answer);
    const { id } = answer.json as { id: string };
    records.set(id.split('_')[0] ?? '', id);
  }
  const stored = await client.call('POST', '/v1/jobs', {
    target: { type: 'parser', parserId: records.get('prs') },
    url: `${site.url}/product`,
    sink: { mode: 'database', database: records.get('db'), table: 'products' },
  });
  const { id: jobId } = stored.json as { id: string };
  for (const path of [
    `/v1/jobs/${jobId}`,
    `/v1/batches/${records.get('bat')}`,
    `/v1/jobs/${records.get('job')}`,
  ]) {
    await until(`${path} succeeds`, async () => {
      const { status } = (await client.call('GET', path)).json as { status: string };
      return status === 'succeeded';
    });
  }
  const others = operations.filter(({ id }) => !CREATORS.includes(id) && !LAST.includes(id));
  const reading = others.filter(({ method }) => method === 'GET');
  const writing = others.filter(({ method }) => method !== 'GET');
  for (const operation of [...reading, ...writing]) {
    expectWorking(operation, await send(operation));
  }
  for (const operation of find(LAST)) {
    // What other examples started may still write to the table.
    await until(`${operation.id} meets no unfinished work`, async () => {
      const answer = await send(operation);
      if (answer.status === 409 && /unfinished work|has not ended/.test(answer.text)) return false;
      expectWorking(operation, answer);
      return true;
    });
  }
});
