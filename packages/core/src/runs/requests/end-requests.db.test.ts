import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { pagesOf } from '../../testing/measure-pages.ts';
import { submitTestRun } from '../../testing/submit-test-run.ts';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createEnder } from './end-requests.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

/** Runs of other accounts, which wait. */
const RUNS = 300;

/** A request from its submission to its end. @returns the pages of the statement that ends it */
async function runRequest(accountId: string): Promise<number> {
  const id = createId('request');
  await submitTestRequest(services, { id, accountId });
  await sql`UPDATE gleaner.requests SET state = 'running', attempt = 1 WHERE id = ${id}`;
  return pagesOf(
    sql,
    `SELECT * FROM ${ENGINE}.end_requests(p_ids => ARRAY[$1]::text[], p_attempts => '{1}', p_states => '{succeeded}',
      p_answers => '{}', p_errors => '', p_lock_ms => 10000)`,
    [id],
  );
}

async function medianRequest(accountId: string): Promise<number> {
  const pages: number[] = [];
  for (let round = 0; round < 15; round += 1) pages.push(await runRequest(accountId));
  return pages.toSorted((a, b) => a - b)[7] ?? 0;
}

it('ending a request does not read the open runs and waiting chunks of other accounts', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  const before = await medianRequest(accountId);
  for (let other = 0; other < RUNS / 10; other += 1) {
    const account = await createTestAccount(services, { credits: 1_000, concurrency: 1 });
    for (let run = 0; run < 10; run += 1) {
      await submitTestRun(services, account.accountId, ['http://a.test/1', 'http://a.test/2']);
    }
  }
  await sql`UPDATE gleaner.chunks SET state = 'pending', not_before = now(), lease_until = NULL, slots = 0`;
  const after = await medianRequest(accountId);
  expect((after - before) / RUNS).toBeLessThan(0.05);
});

it('refuses an answer of two lines, which would move the answers of other accounts', async () => {
  const requests: { id: string; accountId: string }[] = [];
  const ender = createEnder(services);
  while (requests.length < 2) {
    const { accountId } = await createTestAccount(services, { credits: 10, concurrency: 1 });
    const id = createId('request');
    await submitTestRequest(services, { id, accountId });
    await sql`UPDATE gleaner.requests SET state = 'running', attempt = 1 WHERE id = ${id}`;
    requests.push({ id, accountId });
  }
  const ended = await Promise.allSettled(
    requests.map((request, place) =>
      ender.call({
        ...request,
        attempt: 1,
        end: { state: 'succeeded', answer: place === 0 ? '{"a":\n1}' : '{"b":1}' },
      }),
    ),
  );
  expect(ended).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: true }]);
  const ids = requests.map(({ id }) => id);
  const answers =
    await sql`SELECT id, answer FROM gleaner.requests WHERE id = ANY (${ids}) AND state = 'succeeded'`;
  expect(answers).toEqual([{ id: ids[1], answer: '{"b":1}' }]);
});
