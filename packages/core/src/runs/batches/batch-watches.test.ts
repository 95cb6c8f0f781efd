import type { BatchRecord } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { createBatchWatches } from './batch-watches.ts';

const ROOM = 100;

it('an account has a bounded number of streams, and closed ones make room', () => {
  const watches = createBatchWatches();
  const closers = Array.from({ length: ROOM }, () => watches.open('acc_a'));
  const open = (accountId = 'acc_a') => watches.open(accountId);
  expect(open).toThrow(expect.objectContaining({ retryable: true }));
  expect(() => open('acc_b')).not.toThrow();
  for (let times = 0; times < 2; times += 1) closers[0]?.();
  expect(open).not.toThrow();
  expect(open).toThrow(expect.objectContaining({ retryable: true }));
});

it('watchers of one batch share what is read of it, and get newer states later', async () => {
  const watches = createBatchWatches();
  let reads = 0;
  const read = async (): Promise<BatchRecord> => {
    reads += 1;
    return { id: `bat_${reads}` } as BatchRecord;
  };
  const ids = (await Promise.all([1, 2, 3].map(() => watches.read('bat_a', read)))).map(({ id }) => id);
  expect(ids).toEqual(['bat_1', 'bat_1', 'bat_1']);
  expect(await watches.read('bat_b', read)).toEqual({ id: 'bat_2' });
  await expect.poll(async () => (await watches.read('bat_a', read)).id, { interval: 50 }).not.toBe('bat_1');
});
