import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLanes } from './external-databases.ts';

const SLOW_MS = 50;

it('servers that never answer, of many accounts, keep no other account waiting', async () => {
  const inLane = createLanes({ slowMs: SLOW_MS });
  const ends = new AbortController();
  const dead = Array.from({ length: 10 }, (_, account) =>
    Array.from({ length: 6 }, async (_unused, database) => {
      while (!ends.signal.aborted)
        await inLane({ accountId: `dead ${account}`, databaseId: `${account}/${database}` }, () =>
          sleep(SLOW_MS * 2),
        );
    }),
  ).flat();
  // The first transactions of each account take the common lanes, once.
  await sleep(SLOW_MS * 20);
  for (let n = 0; n < 20; n += 1) {
    let hasRun = false;
    const done = inLane({ accountId: 'other', databaseId: 'good' }, async () => {
      hasRun = true;
    });
    expect(hasRun, `transaction ${n}`).toBe(true);
    await done;
    await sleep(SLOW_MS / 10);
  }
  ends.abort();
  await Promise.all(dead);
});

it('a slow account runs two transactions at the same time, one of each database', async () => {
  const inLane = createLanes({ slowMs: SLOW_MS });
  await inLane({ accountId: 'a', databaseId: '1' }, () => sleep(SLOW_MS + 10));
  const running: string[] = [];
  const end = Promise.withResolvers<void>();
  const all = ['1', '1', '2', '3'].map((databaseId) =>
    inLane({ accountId: 'a', databaseId }, async () => {
      running.push(databaseId);
      await end.promise;
    }),
  );
  await sleep(0);
  expect(running).toEqual(['1', '2']);
  end.resolve();
  await Promise.all(all);
  expect(running.sort()).toEqual(['1', '1', '2', '3']);
});
