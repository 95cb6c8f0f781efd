import { countRowsRead, createTestAccount, openTestServices } from '@gleaner/core/testing';
import { afterAll, expect, test } from 'vitest';
import { answer, awaitEnd, startWorker, submitRun } from '../testing/chunk-harness.ts';

const { services, close } = await openTestServices();
afterAll(close);

test('reads as many rows for each page of a large batch as of a small one, when each is tried twice', async () => {
  const perPage: number[] = [];
  for (const size of [400, 1_600]) {
    const tried = new Set<string>();
    const worker = await startWorker(services, (input) => {
      const isFirst = !tried.has(input);
      tried.add(input);
      return Promise.resolve(
        isFirst ? { ok: false, error: { code: 'fetch_failed' }, retryAfterMs: 200 } : answer(input),
      );
    });
    const { accountId } = await createTestAccount(services, { credits: size, concurrency: 32 });
    const before = await countRowsRead(services.db);
    const inputs = Array.from({ length: size }, (_, place) => `https://a.example/${size}/${place}`);
    const { no } = await submitRun(services, accountId, inputs, { config: { retries: 1 } });
    expect(await awaitEnd(services, no)).toMatchObject({ state: 'succeeded', succeeded: size });
    await worker.stop();
    perPage.push(((await countRowsRead(services.db)) - before) / size);
  }
  const [small = 0, large = 0] = perPage;
  expect(large).toBeLessThan(small * 1.5);
});
