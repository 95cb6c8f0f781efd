import { afterAll, expect, it } from 'vitest';
import { updateAccount } from '../../accounts/change-accounts.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { sweepChunks } from '../../testing/sweep-chunks.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('a deactivated account begins and pays nothing more, and goes on when it is active again', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 2 });
  const { no } = await submitTestRun(services, accountId, testUrls(50));
  const used = () => services.db.sql`SELECT used::int AS used FROM gleaner.accounts WHERE id = ${accountId}`;
  const worker = createTestWorker(services);
  const chunk = await worker.takeOf(no);
  if (!chunk) throw new Error('nothing was taken');

  await updateAccount(services.db, { account: accountId, active: false });
  // What a worker has begun ends as always.
  await worker.endAll(chunk, 'succeed');
  expect(await used()).toEqual([{ used: chunk.seqs.length }]);
  for (let round = 0; round < 3; round += 1) {
    await sweepChunks(services, new Date().toISOString());
    expect(await worker.take()).toMatchObject({ chunks: [], isMore: false });
  }
  expect(await used()).toEqual([{ used: chunk.seqs.length }]);

  await updateAccount(services.db, { account: accountId, active: true });
  await sweepChunks(services, new Date().toISOString());
  expect(await worker.takeOf(no)).toMatchObject({ run: no });
});
