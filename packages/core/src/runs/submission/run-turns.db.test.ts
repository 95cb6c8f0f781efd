import { afterAll, expect, it } from 'vitest';
import { retryBatch } from '../batches/change-batch.ts';
import { finishChunk, startChunk, type StartedChunk } from '../chunks/chunk-lease.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';

const { services, close } = await openTestServices();
afterAll(close);

/** Takes the account's oldest admitted chunk like a worker. */
async function take(accountId: string): Promise<StartedChunk | null> {
  const [row] = await services.db.sql<{ run: string; chunk: number; attempt: number }[]>`
    SELECT run_no::text AS run, chunk, attempt FROM gleaner.chunks
    WHERE account_id = ${accountId} AND state = 'admitted' ORDER BY delivered_at LIMIT 1`;
  return row ? startChunk(services, row, 'wrk_test') : null;
}

async function end(chunk: StartedChunk, how: 'fails' | 'left'): Promise<void> {
  const failed = how === 'fails' ? chunk.seqs : [];
  await finishChunk(
    chunk,
    { succeeded: [], answers: [], failed, errors: failed.map(() => ({ code: 'fetch_failed' })) },
    { retries: [], left: how === 'left' ? chunk.seqs : [], busyMs: 100 * chunk.seqs.length },
    services.db.sql,
  );
}

it('released tasks of a run are served fairly beside thousands of retried inputs of another run', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: 8 });
  const large = await submitTestRun(services, accountId, testUrls(6_000));
  for (let chunk = await take(accountId); chunk; chunk = await take(accountId)) await end(chunk, 'fails');
  await retryBatch(testContext(services, accountId), {
    params: { id: large.id },
    query: undefined,
    body: {},
    upload: undefined,
  });
  const small = await submitTestRun(services, accountId, testUrls(20));
  const served: string[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const chunk = await take(accountId);
    if (!chunk) throw new Error('nothing was admitted');
    served.push(chunk.run === small.no ? 'small' : 'large');
    await end(chunk, chunk.run === small.no ? 'left' : 'fails');
  }
  expect(served.filter((run) => run === 'small').length).toBeGreaterThanOrEqual(3);
});

it('plain fetches continue while a batch of the same account waits for browsers', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100_000, concurrency: 48 });
  const pages = await submitTestRun(services, accountId, testUrls(10_000), { queue: 'batch-http' });
  const browser = await submitTestRun(services, accountId, testUrls(1_000), { queue: 'batch-browser' });
  const readSlots = async (): Promise<unknown> => {
    const [row] = await services.db.sql`
      SELECT coalesce(sum(slots) FILTER (WHERE run_no = ${pages.no}), 0)::int AS pages,
        coalesce(sum(slots) FILTER (WHERE run_no = ${browser.no}), 0)::int AS browser
      FROM gleaner.chunks WHERE account_id = ${accountId} AND state <> 'pending'`;
    return row;
  };
  // No browser takes its chunks.
  for (let turn = 0; turn < 40; turn += 1) {
    const [row] = await services.db.sql<{ run: string; chunk: number; attempt: number }[]>`
      SELECT run_no::text AS run, chunk, attempt FROM gleaner.chunks
      WHERE run_no = ${pages.no} AND state = 'admitted' ORDER BY chunk LIMIT 1`;
    const chunk = row && (await startChunk(services, row, 'wrk_test'));
    if (!chunk) throw new Error('nothing was admitted');
    await end(chunk, 'fails');
  }
  expect(await readSlots()).toEqual({ pages: 36, browser: 12 });
  // Once browsers begin, the next ones are admitted.
  await services.db.sql`UPDATE gleaner.chunks SET state = 'running' WHERE run_no = ${browser.no}`;
  const page = await take(accountId);
  if (!page) throw new Error('nothing was admitted');
  await end(page, 'fails');
  expect(await readSlots()).toMatchObject({ browser: expect.toSatisfy((slots: number) => slots > 12) });
});
