import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createChunkSweeper, markWaitingAccounts } from './sweep-chunks.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
await services.queue.writeEpoch('test');
afterAll(close);

const RUNS = 10_000;

/** Runs of two tasks and a budget of one. The first task waits for its next attempt, so no task may begin. */
async function addHeldRuns(accountId: string, count = RUNS): Promise<void> {
  await sql`
    WITH numbers AS (
      SELECT n, engine.number_at(clock_timestamp()) + n AS no FROM generate_series(1, ${count}) n
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

/** The shortest of five durations in milliseconds, to exclude other load on the machine. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return Math.min(...times);
}

it('10,000 runs with budgets held by waiting retries slow down no account', async () => {
  const hostile = await createTestAccount(services, { credits: 100_000, concurrency: 50 });
  await addHeldRuns(hostile.accountId);
  const other = await createTestAccount(services, { credits: 100, concurrency: 4 });
  const { no } = await submitTestRun(services, other.accountId, testUrls(1));
  await sql`
    UPDATE gleaner.chunks SET state = 'pending', slots = 0, lease_until = NULL, not_before = now() - interval '1 s'
    WHERE run_no = ${no}`;
  await sql`SELECT engine.mark_account(${other.accountId}, clock_timestamp())`;
  await sql`SELECT engine.mark_account(${hostile.accountId}, clock_timestamp())`;
  const sweep = createChunkSweeper(services);
  await sweep();
  expect(await sql`SELECT state FROM gleaner.chunks WHERE run_no = ${no}`).toEqual([{ state: 'admitted' }]);

  // On a loaded machine, even an account without work takes longer.
  const bare = await measure(() => sql`SELECT * FROM engine.admit(${other.accountId})`);
  const bar = Math.max(20, 5 * bare);
  expect(await measure(() => sql`SELECT * FROM engine.admit(${hostile.accountId})`)).toBeLessThan(bar);
  expect(await measure(sweep)).toBeLessThan(2 * bar);
  expect(await measure(() => submitTestRun(services, hostile.accountId, testUrls(2)))).toBeLessThan(2 * bar);
  await sql`DELETE FROM gleaner.due_accounts`;
  const backstop = await measure(() => markWaitingAccounts(services));
  expect(backstop).toBeLessThan(5 * bar);
}, 60_000);

it('the retries of 10,000 runs that become due together are admitted as fast as those of 100', async () => {
  const admitDue = async (count: number): Promise<number> => {
    const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: 50 });
    await addHeldRuns(accountId, count);
    await sql`UPDATE gleaner.chunks SET not_before = now() - interval '1 s' WHERE account_id = ${accountId}`;
    const from = performance.now();
    expect(await sql`SELECT * FROM engine.admit(${accountId})`).toHaveLength(50);
    return performance.now() - from;
  };
  await admitDue(100);
  const few = await admitDue(100);
  expect(await admitDue(RUNS)).toBeLessThan(Math.max(500, 10 * few));
}, 60_000);
