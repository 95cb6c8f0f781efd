import { expect, it } from 'vitest';
import { createAccountTurns } from './account-turns.ts';

const AT_ONCE = 4;
const { signal } = new AbortController();

/** Work that goes on until it is let go. */
function createWork() {
  const gates: (() => void)[] = [];
  const work = async (): Promise<number> => {
    const place = gates.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.push(resolve);
    await promise;
    return place;
  };
  return { gates, work };
}

it('an account has some work under way, the rest follows in order, and others don’t wait for it', async () => {
  const turns = createAccountTurns();
  const { gates, work } = createWork();
  const all = Array.from({ length: AT_ONCE + 2 }, () => turns.take('acc_a', work, signal));
  await Promise.resolve();
  expect(gates).toHaveLength(AT_ONCE);
  expect(await turns.take('acc_b', async () => 'done', signal)).toBe('done');
  for (let place = 0; place < all.length; place += 1) {
    gates[place]?.();
    await all[place];
  }
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4, 5]);
});

it('failed work gives its turn on, and who has gone takes none', async () => {
  const turns = createAccountTurns();
  const { gates, work } = createWork();
  const busy = Array.from({ length: AT_ONCE - 1 }, () => turns.take('acc_a', work, signal));
  const failing = Promise.withResolvers<never>();
  const failed = turns.take('acc_a', () => failing.promise, signal);
  const left = new AbortController();
  const gone = turns.take('acc_a', work, left.signal);
  const last = turns.take('acc_a', async () => 'done', signal);
  left.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  failing.reject(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  expect(await last).toBe('done');
  for (const open of gates) open();
  await Promise.all(busy);
  expect(gates).toHaveLength(AT_ONCE - 1);
});

it('refuses work when very much waits', async () => {
  const turns = createAccountTurns();
  const { gates, work } = createWork();
  const all = Array.from({ length: AT_ONCE + 1_000 }, () => turns.take('acc_a', work, signal));
  await expect(turns.take('acc_a', work, signal)).rejects.toMatchObject({
    code: 'concurrency_limit_exceeded',
  });
  for (let place = 0; place < all.length; place += 1) {
    gates[place]?.();
    await all[place];
  }
});
