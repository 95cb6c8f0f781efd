import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it, vi } from 'vitest';
import type { TakenChunk } from '../chunks/take-chunks.ts';
import type { Services } from '../../platform/context.ts';
import { sweepRequests } from '../requests/sweep-requests.ts';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { takeWaiting } from '../../testing/take-waiting.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { sweepChunks } from '../../testing/sweep-chunks.ts';

const { services, close } = await openTestServices();
afterAll(close);

/** A run with one chunk that a worker partly flushed before it died. */
async function submitDying(): Promise<{ no: string; accountId: string }> {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 1 });
  const { no } = await submitTestRun(services, accountId, testUrls(3));
  const worker = createTestWorker(services, 'wrk_dead');
  const chunk = await worker.takeOf(no);
  if (chunk?.seqs.length !== 3) throw new Error('the run was not taken');
  await worker.flush(
    chunk,
    { succeeded: [], answers: [], failed: [0], errors: [{ code: 'fetch_failed' }] },
    {},
  );
  await services.db.sql`UPDATE gleaner.chunks SET lease_until = now() - interval '1 s' WHERE run_no = ${no}`;
  return { no, accountId };
}

async function readState(no: string): Promise<unknown> {
  const [row] = await services.db.sql`SELECT state, attempt FROM gleaner.chunks WHERE run_no = ${no}`;
  return row;
}

/** Takes all runnable work like one worker, also of turns that the leader found. */
async function takeAll(workerId: string): Promise<TakenChunk[]> {
  const taken = await takeWaiting(services, workerId);
  return taken.toSorted((a, b) => Number(BigInt(a.run) - BigInt(b.run)) || a.chunk - b.chunk);
}

async function succeed(workerId: string, chunk: TakenChunk): Promise<void> {
  await createTestWorker(services, workerId).endAll(chunk, 'succeed');
}

/** Simulates the death of the worker with all its work. */
async function dieOf(taken: readonly TakenChunk[]): Promise<void> {
  for (const { run, chunk } of taken) {
    await services.db
      .sql`UPDATE gleaner.chunks SET lease_until = now() - interval '1 s' WHERE run_no = ${run} AND chunk = ${chunk}`;
  }
  // A sweep skips accounts that another session holds, so one may not suffice.
  await vi.waitFor(async () => {
    await sweep(services);
    const lost = await services.db
      .sql`SELECT run_no FROM gleaner.chunks WHERE state <> 'pending' AND lease_until < now()`;
    expect(lost).toEqual([]);
  });
}

async function waitIsOver(): Promise<void> {
  await services.db
    .sql`UPDATE gleaner.chunks SET not_before = now() - interval '1 s' WHERE state = 'pending'`;
}

function readFailures(no: string): Promise<{ seq: number; attempts: number }[]> {
  return services.db.sql`SELECT seq, attempts FROM gleaner.results WHERE run_no = ${no} AND NOT ok`;
}

async function sweep(of: Services): Promise<void> {
  await sweepChunks(of, new Date().toISOString());
}

it('a corrupt run stops neither its account nor others, and is logged once a round', async () => {
  const broken = await submitDying();
  const sound = await submitDying();
  // No function of ours leaves a run in this state: its counts are full, so the flushed failure can't be counted.
  await services.db.sql`UPDATE gleaner.runs SET failed = 3 WHERE no = ${broken.no}`;
  const warn = vi.fn<Services['log']['warn']>();
  await sweep({ ...services, log: Object.assign(Object.create(services.log), { warn }) as Services['log'] });
  expect(await readState(sound.no)).toEqual({ state: 'pending', attempt: 1 });
  expect(await takeAll('wrk_next')).toMatchObject([{ run: sound.no, attempt: 2, seqs: [1, 2] }]);
  expect(await readState(broken.no)).toEqual({ state: 'running', attempt: 1 });
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toMatchObject({ count: 1, faults: [expect.stringContaining(broken.no)] });
});

it('running tasks of a dead worker count as pending after its lease expired, because others use its slots', async () => {
  const { no } = await submitDying();
  const [counts] = await services.db
    .sql`SELECT total, pending, running, failed FROM ${services.db.sql(ENGINE)}.count_run(${no})`;
  expect(counts).toEqual({ total: 3, pending: 2, running: 0, failed: 1 });
});

it('wakes turns although taking chunks back fails', async () => {
  await services.db.sql`TRUNCATE gleaner.chunks, gleaner.runs`;
  const { accountId } = await createTestAccount(services);
  const { no } = await submitTestRun(services, accountId, testUrls(1));
  await services.db.sql`UPDATE gleaner.turns SET state = 'idle'`;
  const worker = createTestWorker(services);
  expect((await worker.take()).chunks).toEqual([]);
  await services.db
    .sql`ALTER FUNCTION ${services.db.sql(ENGINE)}.accounts_with_lost_chunks RENAME TO lost_chunks_away`;
  try {
    await sweep(services);
  } finally {
    await services.db
      .sql`ALTER FUNCTION ${services.db.sql(ENGINE)}.lost_chunks_away RENAME TO accounts_with_lost_chunks`;
  }
  expect((await worker.take()).chunks).toMatchObject([{ run: no }]);
});

it('of many concurrent tasks, only the one that kills workers fails', async () => {
  await services.db.sql`TRUNCATE gleaner.chunks, gleaner.runs`;
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 8 });
  const { no } = await submitTestRun(services, accountId, testUrls(20));
  for (let round = 0; round < 40; round += 1) {
    await waitIsOver();
    const workerId = `wrk_${round}`;
    const taken = await takeAll(workerId);
    if (taken.length === 0) break;
    if (taken.some(({ seqs }) => seqs.includes(3))) await dieOf(taken);
    else for (const chunk of taken) await succeed(workerId, chunk);
  }
  expect(await readFailures(no)).toMatchObject([{ seq: 3 }]);
  const [run] = await services.db.sql`SELECT state, succeeded, failed FROM gleaner.runs WHERE no = ${no}`;
  expect(run).toEqual({ state: 'succeeded', succeeded: 19, failed: 1 });
});

it('a task that died together with another account’s task fails after it dies alone, or after six deaths', async () => {
  await services.db.sql`TRUNCATE gleaner.chunks, gleaner.runs`;
  const [first, second] = await Promise.all(
    [1, 2].map(async () => {
      const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 8 });
      return submitTestRun(services, accountId, testUrls(1));
    }),
  );
  if (!first || !second) throw new Error('no runs');
  for (let death = 1; death <= 4; death += 1) {
    await waitIsOver();
    const taken = await takeAll(`wrk_${death}`);
    expect(taken).toHaveLength(2);
    await dieOf(taken);
    expect([...(await readFailures(first.no)), ...(await readFailures(second.no))]).toEqual([]);
  }
  await waitIsOver();
  const [lone, ...others] = await takeAll('wrk_5');
  if (!lone) throw new Error('nothing was taken');
  for (const chunk of others) await succeed('wrk_5', chunk);
  await dieOf([lone]);
  expect(await readFailures(lone.run)).toEqual([{ seq: 0, attempts: 5 }]);
});

it('a corrupt request does not stop others', async () => {
  const { accountId } = await createTestAccount(services);
  const ids = ['tsk_broken', 'tsk_sound'];
  for (const id of ids) await submitTestRequest(services, { id, accountId });
  await services.db.sql`UPDATE gleaner.requests SET price = 1000000 WHERE id = 'tsk_broken'`;
  await services.db
    .sql`UPDATE gleaner.requests SET lease_until = now() - interval '1 s', deadline_at = now() - interval '1 s'`;
  await sweepRequests(services);
  const rows = await services.db.sql`SELECT id, state FROM gleaner.requests ORDER BY id`;
  expect(rows).toEqual([
    { id: 'tsk_broken', state: 'queued' },
    { id: 'tsk_sound', state: 'failed' },
  ]);
});
