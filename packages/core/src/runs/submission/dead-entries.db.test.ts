import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { newTestRun } from '../../testing/submit-test-run.ts';
import { toRunRow } from './create-run.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

const ROUNDS = 400;
const MEASURED = 15;

interface Plan {
  'QUERY PLAN': { Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number> }[];
}

/** The pages that a statement read. Other load on the machine doesn't change them. */
async function pagesOf(statement: string, parameters: (string | number)[]): Promise<number> {
  const [row] = await sql.unsafe<Plan[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`, parameters);
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  if (!plan) throw new Error('no plan');
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** A job from its submission to its end. @returns the pages of the statements that submit and end it */
async function runJob(accountId: string): Promise<number> {
  const run = await newTestRun(services, accountId, ['http://a.test/'], { kind: 'job' });
  const submitted = await pagesOf(
    'SELECT * FROM engine.create_run(jsonb_populate_record(NULL::engine.new_run, $1::text::jsonb))',
    [JSON.stringify(toRunRow(run))],
  );
  const [chunk] = await sql<{ chunk: number; attempt: number }[]>`
    SELECT chunk, attempt FROM gleaner.chunks WHERE run_no = ${run.no}`;
  if (!chunk) throw new Error('the job has no chunk');
  await sql`SELECT 1 FROM engine.start_chunk(${run.no}, ${chunk.chunk}, ${chunk.attempt}, 'wrk_test', 60000)`;
  const ended = await pagesOf(
    `SELECT * FROM engine.finish_chunk(p_run_no => $1::text::bigint, p_chunk => $2::int, p_attempt => $3::int,
      p_account => $4, p_succeeded_seqs => '{0}', p_answers => '{}', p_failed_seqs => '{}', p_errors => '',
      p_retries => NULL, p_unstarted_seqs => NULL, p_busy_ms => 5)`,
    [run.no, chunk.chunk, chunk.attempt, accountId],
  );
  return submitted + ended;
}

async function medianJob(accountId: string): Promise<number> {
  const pages: number[] = [];
  for (let round = 0; round < MEASURED; round += 1) pages.push(await runJob(accountId));
  return pages.toSorted((a, b) => a - b)[Math.floor(MEASURED / 2)] ?? 0;
}

it('with a long transaction open, submitting and ending a job reads as few pages after hundreds of jobs as after the first', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  // A database of some size: in tiny tables Postgres reads everything anyway.
  for (let round = 0; round < 60; round += 1) await runJob(accountId);
  for (let other = 0; other < 200; other += 1) await createTestAccount(services, { credits: 1 });
  await sql`VACUUM ANALYZE gleaner.accounts, gleaner.runs, gleaner.chunks, gleaner.ledger_entries`;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const dump = sql.begin('ISOLATION LEVEL REPEATABLE READ', async (tx) => {
    await tx`SELECT count(*) FROM gleaner.accounts`;
    begin();
    await isOver;
  });
  await hasBegun;
  /** Floors stay 2 s behind the clock; the next job raises them. */
  const settle = async (): Promise<void> => {
    await delay(2_500);
    await runJob(accountId);
  };
  try {
    for (let round = 0; round < 40; round += 1) await runJob(accountId);
    await settle();
    const before = await medianJob(accountId);
    for (let round = 0; round < ROUNDS; round += 1) await runJob(accountId);
    await settle();
    expect(await medianJob(accountId)).toBeLessThan(1.2 * before);
  } finally {
    end();
    await dump;
  }
}, 120_000);

it('a run that may begin again is found, however long ago it was served', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  const run = await newTestRun(services, accountId, ['http://a.test/1', 'http://a.test/2']);
  await sql`SELECT 1 FROM engine.create_run(jsonb_populate_record(NULL::engine.new_run, ${JSON.stringify(toRunRow(run))}::text::jsonb))`;
  const chunks = (): Promise<{ count: number }[]> => sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM gleaner.chunks WHERE run_no = ${run.no}`;
  await sql`DELETE FROM gleaner.chunks WHERE run_no = ${run.no}`;
  await sql`UPDATE gleaner.runs SET carved = 0, held = 2, last_served = 1 WHERE no = ${run.no}`;
  const now = sql`(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;
  await sql`UPDATE gleaner.accounts SET http_floor = ${now} - 2000000, browser_floor = ${now} - 2000000 WHERE id = ${accountId}`;
  await sql`SELECT engine.admit(${accountId})`;
  expect(await chunks()).toEqual([{ count: 0 }]);
  await sql`UPDATE gleaner.runs SET held = 0 WHERE no = ${run.no}`;
  await sql`SELECT engine.admit(${accountId})`;
  expect((await chunks())[0]?.count).toBeGreaterThan(0);
});

it('a wrong floor is reset by the look at all accounts with work and free slots', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  const run = await newTestRun(services, accountId, ['http://a.test/1']);
  await sql`SELECT 1 FROM engine.create_run(jsonb_populate_record(NULL::engine.new_run, ${JSON.stringify(toRunRow(run))}::text::jsonb))`;
  await sql`DELETE FROM gleaner.chunks WHERE run_no = ${run.no}`;
  await sql`UPDATE gleaner.runs SET carved = 0, held = 0, last_served = 1 WHERE no = ${run.no}`;
  await sql`UPDATE gleaner.runs SET last_served = 1 WHERE no = ${run.no}`;
  await sql`UPDATE gleaner.accounts SET http_floor = 2 WHERE id = ${accountId}`;
  expect(await sql`SELECT * FROM engine.admit(${accountId})`).toEqual([]);
  await sql`SELECT engine.mark_waiting_accounts()`;
  expect(await sql`SELECT fault FROM engine.admit_due(${accountId})`).toHaveLength(1);
});
