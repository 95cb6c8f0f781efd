import type { BatchRecord } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { createBatchWatches } from './batch-watches.ts';

const ROOM = 100;

it('an account has a bounded number of streams, and closed ones make room', () => {
  const watches = createBatchWatches();
  const closers = Array.from({ length: ROOM }, () => watches.open('acc_a'));
  expect(() => watches.requireRoom('acc_a')).toThrow(expect.objectContaining({ retryable: true }));
  expect(() => watches.requireRoom('acc_b')).not.toThrow();
  closers[0]?.();
  expect(() => watches.requireRoom('acc_a')).not.toThrow();
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
