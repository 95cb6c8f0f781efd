import { afterAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../../operations/testing/test-calls.ts';
import { createTestParser } from '../../testing/submit-services.ts';
import { createTestAccount } from '../../testing/test-services.ts';
import { sweepRemovals } from './delete-results.ts';

const { services, close } = await openTestDoor();
afterAll(close);
const { sql } = services.db;
const owner = await createTestAccount(services, { credits: 10_000 });
const parserId = await createTestParser(services, owner.accountId, [{ fields: { name: 'h1' } }]);
const target = { type: 'parser', parserId };
const urls = ['http://a.test/1', 'http://a.test/2'];

/** Calls an operation as the owner. */
async function ask(operation: string, id: string): Promise<unknown> {
  const { answer } = await callOnce(services, operation, owner, { params: { id } });
  return answer.kind === 'json' ? answer.value : answer.kind;
}
function refusal(operation: string, id: string) {
  return refusalOf(callOnce(services, operation, owner, { params: { id } }));
}
async function start(operation: string, body: object, id?: string): Promise<string> {
  const input = { body, ...(id === undefined ? {} : { params: { id } }) };
  return (valueOf(await callOnce(services, operation, owner, input)) as { id: string }).id;
}

/** Ends a run with its stages as its last chunk does, without credits: each of its tasks has a result, the first of them a failure. */
async function end(id: string, results = 2): Promise<string[]> {
  const runs = await sql<{ no: string }[]>`
    UPDATE gleaner.runs SET state = 'succeeded', finished_at = now(), succeeded = total
    WHERE id = ${id} OR root_no = (SELECT no FROM gleaner.runs WHERE id = ${id}) RETURNING no::text AS no`;
  const numbers = runs.map(({ no }) => no);
  await sql`DELETE FROM gleaner.chunks WHERE run_no = ANY (${numbers}::bigint[])`;
  await sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer, error)
    SELECT no, seq, 1, 1, seq <> 1, CASE WHEN seq <> 1 THEN '{"name":"found"}' END,
      CASE WHEN seq = 1 THEN '{"code":"fetch_failed"}'::jsonb END
    FROM unnest(${numbers}::bigint[]) no, generate_series(0, ${results - 1}::int) seq`;
  for (const no of numbers)
    await sql`INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
      VALUES (${no}, 0, ${owner.accountId}, ${parserId}, 1, 'a.test', 'held', 'http://a.test/1', '{}', 'odd', now())`;
  return numbers;
}

/** What is left of the runs when the scheduler has done its duty. */
async function left(numbers: readonly string[]): Promise<number> {
  await sweepRemovals(services.db, 100_000);
  const [row] = await sql<{ n: number }[]>`
    SELECT (SELECT count(*) FROM gleaner.results WHERE run_no = ANY (${numbers}::bigint[]))::int
      + (SELECT count(*) FROM gleaner.quarantined_rows WHERE run_no = ANY (${numbers}::bigint[]))::int
      + (SELECT count(*) FROM gleaner.removals)::int AS n`;
  return row?.n ?? -1;
}

it('a job’s result is removed, and its record stays', async () => {
  const id = await start('createJob', { target, url: urls[0] });
  expect(await refusal('deleteJob', id)).toMatchObject({ code: 'in_use' });
  const numbers = await end(id, 1);
  expect(await ask('getJob', id)).toMatchObject({ result: { name: 'found' }, result_removed: false });
  await ask('deleteJob', id);
  expect(await ask('getJob', id)).toMatchObject({ result: null, result_removed: true, held: 0 });
  expect(await left(numbers)).toBe(0);
});

it('results and failures of a batch are removed, and it can’t be retried', async () => {
  const id = await start('createBatch', { target, urls });
  expect(await refusal('deleteBatch', id)).toMatchObject({ code: 'in_use' });
  const numbers = await end(id);
  expect(await ask('getBatchResults', id)).toBeDefined();
  await ask('deleteBatch', id);
  for (const operation of [
    'getBatchResults',
    'getBatchFailures',
    'getBatchInputs',
    'retryBatch',
    'exportBatch',
  ])
    expect(await refusal(operation, id), operation).toMatchObject({
      code: 'not_found',
      options: { detail: 'the results were deleted' },
    });
  const record = (await ask('getBatch', id)) as { expires_at: string };
  expect(record).toMatchObject({ status: 'succeeded', counts: { total: 2 }, held: 0 });
  expect(Date.parse(record.expires_at)).toBeLessThanOrEqual(Date.now());
  expect(await left(numbers)).toBe(0);
  await ask('deleteBatch', id);
});

it('results of all stages of a workflow run are removed', async () => {
  const stages = [{ name: 'pages', target }];
  const workflow = await start('createWorkflow', { name: 'w', stages });
  const id = await start('createWorkflowRun', { urls }, workflow);
  expect(await refusal('deleteWorkflowRun', id)).toMatchObject({ code: 'in_use' });
  const numbers = await end(id);
  expect(await ask('getWorkflowRunResults', id)).toBeDefined();
  await ask('deleteWorkflowRun', id);
  for (const operation of ['getWorkflowRunResults', 'exportWorkflowRunResults', 'getWorkflowRunFailures'])
    expect(await refusal(operation, id), operation).toMatchObject({
      code: 'not_found',
      options: { detail: 'the results were deleted' },
    });
  expect(await refusal('retryWorkflowRun', id)).toMatchObject({ code: 'not_found' });
  expect(await left(numbers)).toBe(0);
});

it('many results can be read no more at once, and go in parts', async () => {
  const id = await start('createBatch', { target, urls });
  const numbers = await end(id, 12_000);
  await ask('deleteBatch', id);
  expect(await refusal('getBatchResults', id)).toMatchObject({ code: 'not_found' });
  expect(await left(numbers)).toBe(0);
});

it('another account deletes nothing', async () => {
  const other = await createTestAccount(services, {});
  const id = await start('createBatch', { target, urls });
  const numbers = await end(id);
  for (const operation of ['deleteBatch', 'deleteJob', 'deleteWorkflowRun'])
    expect(await refusalOf(callOnce(services, operation, other, { params: { id } }))).toMatchObject({
      code: 'not_found',
    });
  expect(await left(numbers)).toBe(3);
});
