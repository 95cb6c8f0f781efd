import { afterAll, expect, it } from 'vitest';
import { updateAccount } from '../../accounts/update-account.ts';
import { finishChunk, startChunk } from '../chunks/chunk-lease.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { markWaitingAccounts, sweepChunks } from './sweep-chunks.ts';

const { services, close } = await openTestServices();
await services.queue.writeEpoch('test');
afterAll(close);

it('a deactivated account begins and pays nothing more, and goes on when it is active again', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 2 });
  const { no } = await submitTestRun(services, accountId, testUrls(50));
  const states = () => services.db.sql`SELECT state FROM gleaner.chunks WHERE run_no = ${no}`;
  const used = () => services.db.sql`SELECT used::int AS used FROM gleaner.accounts WHERE id = ${accountId}`;
  const chunk = await startChunk(services, { run: no, chunk: 0, attempt: 1 }, 'wrk_a');
  if (!chunk) throw new Error('nothing was admitted');

  await updateAccount(services.db, { account: accountId, active: false });
  // What a worker has begun ends as always.
  const outcomes = {
    succeeded: chunk.seqs,
    answers: chunk.seqs.map(() => '{}'),
    failed: [],
    errors: [],
  };
  await finishChunk(chunk, outcomes, { retries: [], left: [], busyMs: 1 }, services.db.sql);
  expect(await used()).toEqual([{ used: chunk.seqs.length }]);
  for (let round = 0; round < 3; round += 1) {
    await markWaitingAccounts(services);
    await sweepChunks(services, new Date().toISOString());
  }
  expect(await states()).toEqual([]);
  expect(await used()).toEqual([{ used: chunk.seqs.length }]);

  await updateAccount(services.db, { account: accountId, active: true });
  await sweepChunks(services, new Date().toISOString());
  expect(await states()).toEqual([{ state: 'admitted' }]);
});
