import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { findViolations } from '../../testing/find-violations.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { takeWaiting } from '../../testing/take-waiting.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
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
