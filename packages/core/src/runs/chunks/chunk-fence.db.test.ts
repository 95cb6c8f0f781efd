import { afterAll, expect, it } from 'vitest';
import { findViolations } from '../audit/find-violations.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { ChunkLostError, finishChunk, flushChunk, startChunk } from './chunk-lease.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

it('of two workers that a failover gave one attempt, the later one alone writes', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 4 });
  const run = await submitTestRun(services, accountId, testUrls(2), { price: 3 });
  const start = (workerId: string) => startChunk(services, { run: run.no, chunk: 0, attempt: 1 }, workerId);
  const first = await start('wrk_first');
  // The new primary does not have the commit of the start.
  await sql`UPDATE gleaner.chunks SET state = 'admitted', worker_id = NULL, lease_until = now() + interval '1 hour'
    WHERE run_no = ${run.no}`;
  const second = await start('wrk_second');
  if (!first || !second) throw new Error('the chunk did not start');
  const outcomes = { succeeded: [0, 1], answers: ['{}', '{}'], failed: [], errors: [] };
  const end = { retries: [], left: [], busyMs: 1 };
  await expect(flushChunk(first, outcomes, {}, sql)).rejects.toThrow(ChunkLostError);
  await expect(finishChunk(first, outcomes, end, sql)).rejects.toThrow(ChunkLostError);
  await finishChunk(second, outcomes, end, sql);
  expect(await findViolations(services.db)).toEqual([]);
});
