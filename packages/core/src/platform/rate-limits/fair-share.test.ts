import { expect, it } from 'vitest';
import { createFairShare } from './fair-share.ts';

const AT_ONCE = 4;
const { signal } = new AbortController();

/** Work that runs until the test ends it. */
function createWork() {
  const gates: (() => void)[] = [];
  const work = async (): Promise<number> => {
    const index = gates.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.push(resolve);
    await promise;
    return index;
  };
  return { gates, work };
}

it('runs 4 tasks of an account at a time and the rest in order, without delaying other accounts', async () => {
  const share = createFairShare();
  const { gates, work } = createWork();
  const all = Array.from({ length: AT_ONCE + 2 }, () => share.run('acc_a', work, signal));
  await Promise.resolve();
  expect(gates).toHaveLength(AT_ONCE);
  expect(await share.run('acc_b', async () => 'done', signal)).toBe('done');
  for (let index = 0; index < all.length; index += 1) {
    gates[index]?.();
    await all[index];
  }
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4, 5]);
});

it('starts the next task after a failure, and none for a disconnected client', async () => {
  const share = createFairShare();
  const { gates, work } = createWork();
  const busy = Array.from({ length: AT_ONCE - 1 }, () => share.run('acc_a', work, signal));
  const failing = Promise.withResolvers<never>();
  const failed = share.run('acc_a', () => failing.promise, signal);
  const left = new AbortController();
  const gone = share.run('acc_a', work, left.signal);
  const last = share.run('acc_a', async () => 'done', signal);
  left.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  failing.reject(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  expect(await last).toBe('done');
  for (const open of gates) open();
  await Promise.all(busy);
  expect(gates).toHaveLength(AT_ONCE - 1);
});

it('rejects work when 1,000 tasks already wait', async () => {
  const share = createFairShare();
  const { gates, work } = createWork();
  const all = Array.from({ length: AT_ONCE + 1_000 }, () => share.run('acc_a', work, signal));
  await expect(share.run('acc_a', work, signal)).rejects.toMatchObject({
    code: 'concurrency_limit_exceeded',
  });
  for (let index = 0; index < all.length; index += 1) {
    gates[index]?.();
    await all[index];
  }
});
