import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { least, pagesOf } from '../../testing/measure-pages.ts';
import { newTestRun, submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { toRunRow } from '../submission/create-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { createChunkSweeper } from '../../testing/sweep-chunks.ts';
import { wakeLostTurns } from './sweep-chunks.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

const RUNS = 10_000;

/** Runs of two tasks and a budget of one. The first task waits for its next attempt, so no task may begin. */
async function addHeldRuns(accountId: string, count = RUNS): Promise<void> {
  await sql`
    WITH numbers AS (
      SELECT n, ${sql(ENGINE)}.number_at(clock_timestamp()) + n AS no FROM generate_series(1, ${count}) n
    ), made AS (
      INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, retries, price, budget,
        total, carved, held, next_chunk, last_served, reserved)
      SELECT 'bat_' || ${accountId} || n, no, ${accountId}, 'batch', 'running', 'return', 'batch-http', '{}', '{}', 2, 1, 1,
        2, 1, 1, 1, n, 1
      FROM numbers RETURNING no
    )
    INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, attempt, tries, from_seq, to_seq, seqs,
      remaining, not_before)
    SELECT no, 0, ${accountId}, 'batch-http', 'pending', 1, 1, 0, 1, '{0}', 1, now() + interval '600 s' FROM numbers`;
  await sql`UPDATE gleaner.accounts SET reserved = ${count}, unfinished = ${2 * count} WHERE id = ${accountId}`;
  await sql`ANALYZE gleaner.runs, gleaner.chunks`;
}

/** The least pages of several submissions: the first one also reads what nobody has read since it was written. */
async function pagesOfSubmission(accountId: string): Promise<number> {
  await submitTestRun(services, accountId, testUrls(2));
  return least(async () => {
    const run = await newTestRun(services, accountId, testUrls(2));
    return pagesOf(sql, CREATE, [JSON.stringify(toRunRow(run))]);
  });
}

/** A look for work of one account that has none which may begin. */
function pagesOfLook(accountId: string): Promise<number> {
  return least(() => pagesOf(sql, TAKE, [1, JSON.stringify([{ account: accountId, ms: 0, isMore: true }])]));
}

const TAKE = `SELECT * FROM ${ENGINE}.take_chunks('batch-http', 'wrk_test', $1, 1, 6000, $2::text::jsonb)`;
/** Rounds of the leader. */
const RUN = `SELECT ${ENGINE}.run_turns('batch-http', interval '1 minute', 0)`;
const LOST = `SELECT * FROM ${ENGINE}.lost_turns()`;
const CREATE = `SELECT * FROM ${ENGINE}.submit_runs(ARRAY[jsonb_populate_record(NULL::${ENGINE}.new_run, $1::text::jsonb)])`;

it('10,000 runs with budgets held by waiting retries slow down no account', async () => {
  const roundBefore = await pagesOf(sql, RUN);
  const lostBefore = await pagesOf(sql, LOST);
  const hostile = await createTestAccount(services, { credits: 100_000, concurrency: 50 });
  await addHeldRuns(hostile.accountId);
  const few = await createTestAccount(services, { credits: 100_000, concurrency: 50 });
  await addHeldRuns(few.accountId, 10);
  const other = await createTestAccount(services, { credits: 100, concurrency: 4 });
  const { no } = await submitTestRun(services, other.accountId, testUrls(1));
  await createChunkSweeper(services)();
  const worker = createTestWorker(services);
  expect(await worker.take()).toMatchObject({ chunks: [{ run: no }], isMore: false });

  expect(await pagesOfLook(hostile.accountId)).toBeLessThan((await pagesOfLook(few.accountId)) + 100);
  expect(await pagesOfSubmission(hostile.accountId)).toBeLessThan(
    (await pagesOfSubmission(few.accountId)) + 100,
  );
  expect(await pagesOf(sql, RUN)).toBeLessThan(roundBefore + 500);
  expect(await pagesOf(sql, LOST)).toBeLessThan(lostBefore + 500);
});

it('the retries of 10,000 runs that become due together are taken with the work of those of 1,000', async () => {
  const takeDue = async (count: number): Promise<number> => {
    await sql`TRUNCATE gleaner.chunks, gleaner.runs, gleaner.turns`;
    const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: 50 });
    await addHeldRuns(accountId, count);
    await sql`UPDATE gleaner.chunks SET not_before = now() - interval '1 s' WHERE account_id = ${accountId}`;
    await wakeLostTurns(services);
    const pages = await pagesOf(sql, TAKE, [50, '[]']);
    const taken = await sql`
      SELECT 1 FROM gleaner.chunks WHERE account_id = ${accountId} AND state = 'running'`;
    // The last few slots of an account are not worth a chunk.
    expect(taken.length).toBeGreaterThanOrEqual(46);
    return pages;
  };
  // Fewer fit on a few pages, of which Postgres reads all.
  const few = await takeDue(1_000);
  const many = await takeDue(RUNS);
  expect(many).toBeLessThan(1.2 * few);
});
