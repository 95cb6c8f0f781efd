import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inLanes } from './in-lanes.ts';

async function mostAtOnce(count: number, ms: number): Promise<number> {
  let running = 0;
  let most = 0;
  let done = 0;
  await inLanes(Array.from({ length: count }), async () => {
    running += 1;
    most = Math.max(most, running);
    await delay(ms);
    running -= 1;
    done += 1;
  });
  expect(done).toBe(count);
  return most;
}

it('works on two items at once only when there are many slow ones', async () => {
  expect(await mostAtOnce(0, 0)).toBe(0);
  expect(await mostAtOnce(3, 30)).toBe(1);
  expect(await mostAtOnce(50, 20)).toBe(2);
});

it('ends with the error of an item', async () => {
  await expect(inLanes([1, 2], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
