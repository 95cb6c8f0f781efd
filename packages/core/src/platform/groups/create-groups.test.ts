import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGroups } from './create-groups.ts';

/** Groups that end when the test ends them. */
function createHeldGroups(maxInFlight: number) {
  const ran: number[][] = [];
  const releases: (() => void)[] = [];
  const groups = createGroups<number, number>({
    maxInFlight,
    maxItems: 100,
    run: async (items) => {
      ran.push([...items]);
      await new Promise<void>((resolve) => void releases.push(resolve));
      return items.map((item) => item * 2);
    },
  });
  return { groups, ran, releases };
}

test('calls of one event loop turn form a group, and so do calls that arrive while two groups run', async () => {
  const { groups, ran, releases } = createHeldGroups(2);
  const results: Promise<number>[] = [];
  for (const batch of [[1, 2, 3], [4], [5, 6], [7]]) {
    results.push(...batch.map((item) => groups.call(item)));
    await turn();
    await turn();
  }
  expect(ran).toEqual([[1, 2, 3], [4]]);
  releases[0]?.();
  await expect.poll(() => ran).toEqual([[1, 2, 3], [4], [5, 6, 7]]);
  for (const release of releases) release();
  expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10, 12, 14]);
  expect(groups.pending).toBe(0);
});

test('a patient call waits for company, and leaves with one that is not patient', async () => {
  const ran: number[][] = [];
  const groups = createGroups<number, number>({
    maxInFlight: 1,
    maxItems: 100,
    patienceMs: (item) => (item === 0 ? 0 : 100_000),
    run: (items) => {
      ran.push([...items]);
      return Promise.resolve([...items]);
    },
  });
  const patient = [groups.call(1), groups.call(2)];
  await turn();
  await turn();
  expect(ran).toEqual([]);
  await Promise.all([...patient, groups.call(0)]);
  expect(ran).toEqual([[1, 2, 0]]);
  const alone = createGroups<number, number>({
    maxInFlight: 1,
    maxItems: 100,
    patienceMs: () => 5,
    run: (items) => Promise.resolve([...items]),
  });
  expect(await alone.call(1)).toBe(1);
});

test('only an invalid item fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(50), { maxLength: 20 }), fc.nat(50), async (items, bad) => {
      const groups = createGroups<number, number>({
        maxInFlight: 2,
        maxItems: 7,
        mayBeOneItem: (error) => error === 'bad',
        run: (group) => (group.includes(bad) ? Promise.reject('bad') : Promise.resolve([...group])),
      });
      const settled = await Promise.allSettled(items.map((item) => groups.call(item)));
      expect(settled.map(({ status }) => status)).toEqual(
        items.map((item) => (item === bad ? 'rejected' : 'fulfilled')),
      );
    }),
  );
});

test('a group is not repeated after a lost connection', async () => {
  let runs = 0;
  const groups = createGroups<number, number>({
    maxInFlight: 1,
    maxItems: 10,
    mayBeOneItem: () => false,
    run: () => {
      runs += 1;
      return Promise.reject(new Error('broken'));
    },
  });
  const settled = await Promise.allSettled([groups.call(1), groups.call(2)]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs).toBe(1);
});

test('a group ends before it is too large; a large item forms its own group', async () => {
  const ran: number[][] = [];
  const groups = createGroups<number, number>({
    maxInFlight: 1,
    maxItems: 3,
    sizeOf: (item) => item,
    maxSize: 10,
    run: (items) => {
      ran.push([...items]);
      return Promise.resolve([...items]);
    },
  });
  await Promise.all([6, 5, 50, 1, 1, 1, 1].map((item) => groups.call(item)));
  expect(ran).toEqual([[6], [5], [50], [1, 1, 1], [1]]);
});
