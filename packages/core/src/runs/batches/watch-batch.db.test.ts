import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { createBatchWatches } from './batch-watches.ts';
import { watchBatch } from './watch-batch.ts';

const MAX_STREAMS = 100;
const opened = await openTestServices();
afterAll(opened.close);

const services = { ...opened.services, watches: createBatchWatches() };

it('streams asked for at once are bounded too, and none that was never read stays counted', async () => {
  const { accountId } = await createTestAccount(services);
  const { id } = await submitTestRun(services, accountId, testUrls(1));
  const client = new AbortController();
  const watch = (batchId: string, { signal }: { signal: AbortSignal } = client) =>
    watchBatch(
      { ...testContext(services, accountId), signal },
      { params: { id: batchId }, query: undefined, body: undefined, upload: undefined },
    );
  const all = await Promise.allSettled(Array.from({ length: 2 * MAX_STREAMS }, () => watch(id)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_STREAMS);
  client.abort();
  const { signal } = new AbortController();
  for (let times = 0; times < MAX_STREAMS; times += 1)
    await expect(watch('bat_absent', { signal })).rejects.toMatchObject({ code: 'not_found' });
  for await (const { event } of await watch(id, { signal })) {
    expect(event).toBe('progress');
    break;
  }
  await Promise.all(Array.from({ length: MAX_STREAMS }, () => watch(id, { signal })));
});
