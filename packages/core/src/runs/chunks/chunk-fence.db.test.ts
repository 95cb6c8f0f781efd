import { ENGINE } from '@gleaner/db';
import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { findViolations } from '../../testing/find-violations.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { sweepChunks } from '../../testing/sweep-chunks.ts';
import { takeWaiting } from '../../testing/take-waiting.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { untilSomebodyWaits } from '../../testing/until-somebody-waits.ts';
import { ChunkLostError, takeChunks } from './take-chunks.ts';
import { createChunkWriter } from './write-chunks.ts';

const { services, close } = await openTestServices();
afterAll(close);

it.each([
  ['of two workers', 'wrk_second'],
  ['of two takes of one worker', 'wrk_first'],
])('%s that a failover gave one attempt, the later one alone writes', async (_, laterId) => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 4 });
  const run = await submitTestRun(services, accountId, testUrls(2), { price: 3 });
  const [first] = (
    await takeChunks(services, { queue: batchQueue('http'), workerId: 'wrk_first', slots: 64, freed: [] })
  ).chunks;
  // The new primary does not have the commit of the take.
  await services.db.sql`UPDATE gleaner.chunks SET state = 'pending', attempt = 0, worker_id = NULL, token = 0,
    lease_until = NULL WHERE run_no = ${run.no}`;
  const [second] = await takeWaiting(services, laterId);
  if (!first || !second) throw new Error('the chunk was not taken');
  expect(second).toMatchObject({ run: first.run, chunk: first.chunk, attempt: first.attempt });
  const outcomes = { succeeded: [0, 1], answers: ['{}', '{}'], failed: [], errors: [] };
  const end = { retries: [], left: [], busyMs: 1 };
  const early = createChunkWriter(services, 'wrk_first');
  await expect(early.write(first, outcomes, {})).rejects.toThrow(ChunkLostError);
  await expect(early.write(first, outcomes, { end })).rejects.toThrow(ChunkLostError);
  await createChunkWriter(services, laterId).write(second, outcomes, { end });
  expect(await findViolations(services.db)).toEqual([]);
});

it.each(['cancelled', 'taken back'])(
  'outcomes whose write commits while their chunk is %s count once',
  async (what) => {
    const { sql } = services.db;
    const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 4 });
    const run = await submitTestRun(services, accountId, testUrls(3), { price: 3 });
    await sql`UPDATE gleaner.runs SET task_ms = 1 WHERE no = ${run.no}`;
    const [chunk] = await takeWaiting(services, 'wrk_slow');
    if (!chunk) throw new Error('nothing was taken');
    await sql`UPDATE gleaner.chunks SET lease_until = now() - interval '1 minute' WHERE run_no = ${run.no}`;
    let other: Promise<unknown> = Promise.resolve();
    await sql.begin(async (tx) => {
      const db = { ...services.db, sql: tx as unknown as typeof sql };
      const errors = [{ code: 'fetch_failed' as const }];
      const outcomes = { succeeded: [0], answers: ['{}'], failed: [1], errors };
      await createChunkWriter({ ...services, db }, 'wrk_slow').write(chunk, outcomes, {});
      other =
        what === 'cancelled'
          ? sql`SELECT outcome FROM ${sql(ENGINE)}.cancel_run(${accountId}, ${run.id})`.execute()
          : sweepChunks(services, new Date().toISOString());
      other.catch(() => undefined);
      await untilSomebodyWaits(services.db);
    });
    await other;
    for (const left of await takeWaiting(services, 'wrk_next')) {
      const outcomes = { succeeded: left.seqs, answers: left.seqs.map(() => '{}'), failed: [], errors: [] };
      const end = { retries: [], left: [], busyMs: 1 };
      await createChunkWriter(services, 'wrk_next').write(left, outcomes, { end });
    }
    expect(await findViolations(services.db)).toEqual([]);
    const [counts] =
      await sql`SELECT succeeded, failed, cancelled, used::int FROM gleaner.runs WHERE no = ${run.no}`;
    expect(counts).toEqual(
      what === 'cancelled'
        ? { succeeded: 1, failed: 1, cancelled: 1, used: 3 }
        : { succeeded: 2, failed: 1, cancelled: 0, used: 6 },
    );
  },
);

it('a run is cancelled after a write that holds its chunk and still counts rows in it', async () => {
  const { sql } = services.db;
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 4 });
  const run = await submitTestRun(services, accountId, testUrls(2));
  await takeWaiting(services, 'wrk_rows');
  let cancelling: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    // The steps of engine.write_chunks in a database whose table notes changes.
    await tx`SELECT FROM gleaner.chunks WHERE run_no = ${run.no} FOR NO KEY UPDATE`;
    cancelling = sql`SELECT outcome FROM ${sql(ENGINE)}.cancel_run(${accountId}, ${run.id})`.execute();
    cancelling.catch(() => undefined);
    await untilSomebodyWaits(services.db);
    await tx`SELECT ${tx(ENGINE)}.count_rows(${run.no}, ROW(0, 1, 0, 0, 0))`;
  });
  expect(await cancelling).toContainEqual({ outcome: 'cancelled' });
  expect(await findViolations(services.db)).toEqual([]);
});
