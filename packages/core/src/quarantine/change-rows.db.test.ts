import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../operations/testing/test-calls.ts';
import { createTestParser } from '../testing/submit-services.ts';
import { createTestAccount } from '../testing/test-services.ts';
import { writeReleased } from './write-released.ts';

const { services, close } = await openTestDoor();
afterAll(close);
const { sql } = services.db;
const owner = await createTestAccount(services, { credits: 10_000 });
const parserId = await createTestParser(services, owner.accountId, [
  { fields: { name: 'h1', next: { css: 'a@href', type: 'url' } } },
]);
const target = { type: 'parser', parserId };
let database: string;
beforeAll(async () => {
  ({ id: database } = await ask('createDatabase', undefined, { body: { name: 'd', kind: 'managed' } }));
});

interface Answer {
  id: string;
  held: number;
  rows: { seq: number; stage: string | null }[];
  pagination: { cursor: string | null; has_more: boolean };
}

async function ask(operation: string, id: string | undefined, input: object = {}): Promise<Answer> {
  const params = id === undefined ? {} : { params: { id } };
  return valueOf(await callOnce(services, operation, owner, { ...params, ...input })) as Answer;
}

/** Holds the first rows of a run back. */
async function hold(run: string, count: number): Promise<void> {
  await sql`
    INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
    SELECT no, n, ${owner.accountId}, ${parserId}, 1, 'a.test', 'held', 'http://a.test/' || n, '{"name":"x","next":null}', 'odd', now()
    FROM gleaner.runs, generate_series(0, ${count - 1}::int) n WHERE id = ${run}`;
}

function sink(table: string) {
  return { mode: 'database', database, table, on_drift: 'quarantine' };
}

async function countRows(table: string): Promise<number> {
  const rows = await sql.unsafe(`SELECT FROM "${database}"."${table}"`);
  return rows.length;
}

it('held rows of a job are listed, and released', async () => {
  const { id } = await ask('createJob', undefined, {
    body: { target, url: 'http://a.test/0', sink: sink('jobs') },
  });
  await hold(id, 1);
  expect(await ask('getJob', id)).toMatchObject({ held: 1 });
  expect((await ask('listQuarantinedRows', id)).rows).toMatchObject([{ seq: 0, stage: null, state: 'held' }]);
  expect(await ask('releaseQuarantinedRows', id, { body: {} })).toEqual({ releasing: 1 });
  await writeReleased(services);
  expect(await countRows('jobs')).toBe(1);
  expect(await ask('getJob', id)).toMatchObject({ held: 0 });
});

it('held rows of all stages of a workflow run are listed, released and discarded', async () => {
  const workflow = await ask('createWorkflow', undefined, {
    body: {
      name: 'w',
      stages: [
        { name: 'list', target, sink: sink('lists') },
        { name: 'items', target, from: { path: '$.next' }, sink: sink('items') },
      ],
    },
  });
  const { id } = await ask('createWorkflowRun', workflow.id, { body: { urls: ['http://a.test/0'] } });
  await hold(`${id}/list`, 3);
  await hold(`${id}/items`, 2);
  expect(await ask('getWorkflowRun', id)).toMatchObject({ held: 5 });
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: 2, state: 'held', ...(cursor === undefined ? {} : { cursor }) };
    const { rows, pagination } = await ask('listQuarantinedRows', id, { query });
    seen.push(...rows.map(({ stage, seq }) => `${stage}${seq}`));
    expect(pagination.has_more).toBe(pagination.cursor !== null);
    ({ cursor } = pagination);
  }
  expect(seen).toEqual(['list2', 'list1', 'list0', 'items1', 'items0']);
  const items = await ask('listQuarantinedRows', id, { query: { stage: 'items', with_current: true } });
  expect(items.rows).toMatchObject([
    { stage: 'items', seq: 1, current: null },
    { stage: 'items', seq: 0, current: null },
  ]);
  const refused = (body: object): Promise<unknown> =>
    refusalOf(callOnce(services, 'releaseQuarantinedRows', owner, { params: { id }, body }));
  for (const body of [{ seqs: [0] }, { stage: 'none' }])
    expect(await refused(body)).toMatchObject({ code: 'invalid_request', options: { field: 'stage' } });
  const body = { stage: 'items', seqs: [0] };
  expect(await ask('releaseQuarantinedRows', id, { body })).toEqual({ releasing: 1 });
  await writeReleased(services);
  expect(await countRows('items')).toBe(1);
  expect(await ask('discardQuarantinedRows', id, { body: {} })).toEqual({ discarded: 4 });
  expect(await ask('getWorkflowRun', id)).toMatchObject({ held: 0 });
});

it('another account finds none of them', async () => {
  const other = await createTestAccount(services, {});
  const { id } = await ask('createJob', undefined, {
    body: { target, url: 'http://a.test/1', sink: sink('jobs') },
  });
  await hold(id, 1);
  for (const operation of ['listQuarantinedRows', 'releaseQuarantinedRows', 'discardQuarantinedRows'])
    expect(await refusalOf(callOnce(services, operation, other, { params: { id } }))).toMatchObject({
      code: 'not_found',
    });
});
