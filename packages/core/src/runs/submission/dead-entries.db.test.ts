import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { least, pagesOf, withOpenSnapshot } from '../../testing/measure-pages.ts';
import { newTestRun } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { createId } from '../../platform/ids.ts';
import { sweepRequests } from '../requests/sweep-requests.ts';
import { wakeLostTurns } from '../sweep/sweep-chunks.ts';
import { runTurns } from '../../testing/run-turns.ts';
import { toRunRow } from './create-run.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

const ROUNDS = 400;
const MEASURED = 15;

/** Takes a chunk of a run, which must get one, and ends it. Its pages are slow, so the next one has a single page. @returns the pages of both statements */
async function runChunk(accountId: string, no: string, slots = 8): Promise<number> {
  const taken = await pagesOf(
    sql,
    `SELECT * FROM ${ENGINE}.take_chunks('batch-http', 'wrk_test', $1, 1, 60000, $2::text::jsonb)`,
    [slots, JSON.stringify([{ account: accountId, ms: -300, isMore: false }])],
  );
  const [write] = await sql<{ succeeded: number[] }[]>`
    SELECT run_no::text, chunk, attempt, token::text, account_id, true AS is_end, true AS is_locking,
      ARRAY(SELECT generate_series(from_seq, to_seq - 1)) AS succeeded, '{}'::int[] AS failed, '{}'::int[] AS unstarted,
      5000 * remaining AS busy_ms, 0 AS waiting
    FROM gleaner.chunks WHERE run_no = ${no}`;
  if (!write) throw new Error('no chunk was taken');
  const ended = await pagesOf(
    sql,
    `SELECT * FROM ${ENGINE}.write_chunks('wrk_test', $1::text::jsonb, $2, 6000, NULL)`,
    [JSON.stringify([write]), write.succeeded.map(() => '{}').join('\n')],
  );
  return taken + ended;
}

/** A job from its submission to its end. @returns the pages of the statements that submit, take and end it */
async function runJob(accountId: string): Promise<number> {
  const run = await newTestRun(services, accountId, ['http://a.test/'], { kind: 'job' });
  const submitted = await pagesOf(
    sql,
    `SELECT * FROM ${ENGINE}.submit_runs(ARRAY[jsonb_populate_record(NULL::${ENGINE}.new_run, $1::text::jsonb)])`,
    [JSON.stringify(toRunRow(run))],
  );
  return submitted + (await runChunk(accountId, run.no));
}

async function median(measure: () => Promise<number>): Promise<number> {
  const pages: number[] = [];
  for (let round = 0; round < MEASURED; round += 1) pages.push(await measure());
  return pages.toSorted((a, b) => a - b)[Math.floor(MEASURED / 2)] ?? 0;
}

it('with a long transaction open, submitting, taking and ending a job does not read the entries of jobs that have ended', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  // A database of some size: of tiny tables Postgres reads everything anyway.
  for (let round = 0; round < 60; round += 1) await runJob(accountId);
  for (let other = 0; other < 200; other += 1) await createTestAccount(services, { credits: 1 });
  await sql`
    INSERT INTO gleaner.turns (account_id, queue)
    SELECT a.id, q FROM gleaner.accounts a, unnest(ARRAY['batch-http', 'batch-browser']) q ON CONFLICT DO NOTHING`;
  /** Jobs, and the leader's rounds beside them. */
  const runJobs = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round += 1) {
      await runJob(accountId);
      if (round % 20 === 0) await runTurns(services);
    }
  };
  /** Floors stay 2 s behind the clock; one of the next jobs raises them. Autovacuum would update the statistics within a minute. */
  const settle = async (): Promise<void> => {
    await sql`ANALYZE gleaner.accounts, gleaner.runs, gleaner.chunks, gleaner.turns`;
    await delay(2_500);
    await runJobs(40);
  };
  await withOpenSnapshot(sql, async () => {
    await runJobs(40);
    await settle();
    const before = await median(() => runJob(accountId));
    await runJobs(ROUNDS);
    await settle();
    // Two pages for each job when every dead entry is read, and 0.4 when each statement reads those of one table.
    expect(((await median(() => runJob(accountId))) - before) / ROUNDS).toBeLessThan(0.15);
  });
});

it('with a long transaction open, chunks of a batch look up their run without its old versions', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  const inputs = Array.from({ length: 600 }, (_, page) => `http://a.test/${page}`);
  const run = await newTestRun(services, accountId, inputs);
  await sql`SELECT 1 FROM ${sql(ENGINE)}.submit_runs(ARRAY[jsonb_populate_record(NULL::${sql(ENGINE)}.new_run, ${JSON.stringify(toRunRow(run))}::text::jsonb)])`;
  const next = (): Promise<number> => runChunk(accountId, run.no, 1);
  await withOpenSnapshot(sql, async () => {
    for (let round = 0; round < 40; round += 1) await next();
    const before = await median(next);
    for (let round = 0; round < ROUNDS; round += 1) await next();
    await sql`ANALYZE gleaner.runs`;
    // 0.3: the order of an account's runs reads the old versions once. 0.9 when each look-up does.
    expect(((await median(next)) - before) / ROUNDS).toBeLessThan(0.5);
  });
});

it('with a long transaction open, submitting a request does not read the entries of requests whose leases have run out', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  const submit = (): Promise<number> =>
    pagesOf(sql, `SELECT * FROM ${ENGINE}.submit_requests($1::text::json, NULL, 10000)`, [
      JSON.stringify([
        {
          id: createId('request'),
          account: accountId,
          kind: 'task',
          queue: 'interactive-http',
          price: 1,
          timeout_ms: 60_000,
          spec: {},
        },
      ]),
    ]);
  const endAll = async (): Promise<void> => {
    await sql`UPDATE gleaner.requests SET lease_until = clock_timestamp() - interval '2 minutes' WHERE account_id = ${accountId}
      AND finished_at IS NULL`;
    await sweepRequests(services);
  };
  for (let round = 0; round < 9; round += 1) await submit();
  await endAll();
  await withOpenSnapshot(sql, async () => {
    /** The pages of a submission after some that have ended: the median of nine, as few check a unique index in full. */
    const after = async (rounds: number): Promise<number> => {
      for (let round = 0; round < rounds; round += 1) {
        for (let one = 0; one < 9; one += 1) await submit();
        await endAll();
      }
      // Autovacuum would update the statistics within a minute.
      await sql`ANALYZE gleaner.requests, gleaner.accounts`;
      await submit();
      const samples: number[] = [];
      for (let one = 0; one < 9; one += 1) samples.push(await submit());
      await endAll();
      return samples.toSorted((a, b) => a - b)[4] ?? 0;
    };
    const before = await after(10);
    // Two pages for each request when every dead entry is read. Each 16th change of the account leaves an entry that
    // is read as well: 0.19.
    expect(((await after(40)) - before) / 360).toBeLessThan(0.3);
    const recent = await least(() =>
      pagesOf(sql, `SELECT * FROM ${ENGINE}.sweep_requests(3, interval '1 minute')`),
    );
    const all = await pagesOf(sql, `SELECT * FROM ${ENGINE}.sweep_requests(3, interval '1 year')`);
    expect(recent).toBeLessThan(all / 5);
  });
});

/** A run that was not taken, with a turn of these floors. */
async function submitUnder(floor: number): Promise<string> {
  const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency: 10 });
  const run = await newTestRun(services, accountId, ['http://a.test/1', 'http://a.test/2']);
  await sql`SELECT 1 FROM ${sql(ENGINE)}.submit_runs(ARRAY[jsonb_populate_record(NULL::${sql(ENGINE)}.new_run, ${JSON.stringify(toRunRow(run))}::text::jsonb)])`;
  await sql`UPDATE gleaner.runs SET held = 2, last_served = 1 WHERE no = ${run.no}`;
  await sql`UPDATE gleaner.turns SET run_floor = ${floor}, chunk_floor = ${floor} WHERE account_id = ${accountId}`;
  return run.no;
}

it('a run that may begin again is found, however long ago it was served', async () => {
  const [clock] = await sql<{ now: string }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now`;
  const no = await submitUnder(Number(clock?.now) - 2_000_000);
  const worker = createTestWorker(services);
  expect(await worker.takeOf(no)).toBeNull();
  await sql`UPDATE gleaner.runs SET held = 0 WHERE no = ${no}`;
  await wakeLostTurns(services);
  expect(await worker.takeOf(no)).toMatchObject({ run: no });
});

it('a wrong floor is reset by the look at accounts with work and free slots', async () => {
  const no = await submitUnder(2);
  const worker = createTestWorker(services);
  await sql`UPDATE gleaner.runs SET held = 0 WHERE no = ${no}`;
  await sql`UPDATE gleaner.runs SET last_served = 1 WHERE no = ${no}`;
  expect(await worker.takeOf(no)).toBeNull();
  await wakeLostTurns(services);
  expect(await worker.takeOf(no)).toMatchObject({ run: no });
});
