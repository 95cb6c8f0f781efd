import type { BatchRecord } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { createRunWatches } from './run-watches.ts';

it('watchers of one batch share what is read of it, and get newer states later', async () => {
  const watches = createRunWatches();
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
