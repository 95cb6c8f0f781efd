import { afterAll, expect, it } from 'vitest';
import { retryBatch } from '../batches/change-batch.ts';
import type { TakenChunk } from '../chunks/take-chunks.ts';
import { beat } from '../../platform/workers/heartbeat.ts';
import { wakeLostTurns } from '../sweep/sweep-chunks.ts';
import { runTurns } from '../../testing/run-turns.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('released tasks of a run are served fairly beside thousands of retried inputs of another run', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: 8 });
  const worker = createTestWorker(services);
  const large = await submitTestRun(services, accountId, testUrls(6_000));
  for (let chunk = await worker.takeOf(large.no); chunk; chunk = await worker.takeOf(large.no))
    await worker.endAll(chunk, 'fail', 100 * chunk.seqs.length);
  await retryBatch(testContext(services, accountId), {
    params: { id: large.id },
    query: undefined,
    body: {},
    upload: undefined,
  });
  const small = await submitTestRun(services, accountId, testUrls(20));
  const served: string[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const [chunk] = (await worker.take()).chunks;
    if (!chunk) throw new Error('nothing was taken');
    served.push(chunk.run === small.no ? 'small' : 'large');
    await worker.endAll(chunk, chunk.run === small.no ? 'leave' : 'fail', 100 * chunk.seqs.length);
  }
  expect(served.filter((run) => run === 'small').length).toBeGreaterThanOrEqual(3);
});

it('plain fetches use all slots while a batch of the same account waits for browsers', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: 48 });
  const worker = createTestWorker(services);
  const pages = await submitTestRun(services, accountId, testUrls(10_000), { queue: 'batch-http' });
  await submitTestRun(services, accountId, testUrls(1_000), { queue: 'batch-browser' });
  // No worker has a browser.
  await runTurns(services);
  for (let turn = 0; turn < 40; turn += 1) {
    const chunk = await worker.takeOf(pages.no);
    if (!chunk) throw new Error('nothing was taken');
    const [slots] = await services.db.sql`
      SELECT sum(slots)::int AS pages FROM gleaner.chunks WHERE account_id = ${accountId} AND state = 'running'`;
    expect(slots).toEqual({ pages: 48 });
    await worker.endAll(chunk, 'fail', 100 * chunk.seqs.length);
  }
});

it.each([
  { limit: 8, first: 'batch-http', second: 'batch-browser' },
  { limit: 8, first: 'batch-browser', second: 'batch-http' },
  { limit: 1, first: 'batch-http', second: 'batch-browser' },
  { limit: 5, first: 'batch-browser', second: 'batch-http' },
  { limit: 100, first: 'batch-http', second: 'batch-browser' },
] as const)(
  'a batch of $second gets slots of an account that a batch of $first uses up, of $limit',
  async ({ limit, first, second }) => {
    const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: limit });
    for (const engine of ['http', 'browser'] as const)
      await beat(services.db, { workerId: `wrk_${engine}`, engines: [engine], refuses: null });
    const busy = createTestWorker(services, 'wrk_first', first);
    const late = createTestWorker(services, 'wrk_second', second);
    await submitTestRun(services, accountId, testUrls(20_000), { queue: first });
    const taken = { busy: 0, late: 0 };
    const running: Record<keyof typeof taken, TakenChunk[]> = { busy: (await busy.take()).chunks, late: [] };
    await submitTestRun(services, accountId, testUrls(1_000), { queue: second });
    for (let round = 0; round < 20; round += 1) {
      await services.db.sql`UPDATE gleaner.workers SET seen_at = now()`;
      await runTurns(services);
      await wakeLostTurns(services);
      for (const [name, worker] of [
        ['busy', busy],
        ['late', late],
      ] as const) {
        const ended = running[name].shift();
        if (ended) await worker.endAll(ended, 'succeed', 100 * ended.seqs.length);
        const { chunks } = await worker.take();
        running[name].push(...chunks);
        taken[name] += chunks.length;
      }
    }
    expect(Math.min(taken.busy, taken.late), JSON.stringify(taken)).toBeGreaterThanOrEqual(5);
  },
);
