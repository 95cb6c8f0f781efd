import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createAccountShares } from './account-shares.ts';

const HOLD_MS = 5;

it('one account may use the whole capacity, and another one still starts at once', async () => {
  const shares = createAccountShares(4, HOLD_MS);
  const own = await Promise.all(['a', 'a', 'a', 'a'].map((account) => shares.enter(account)));
  expect(own.every((leave) => leave !== null)).toBe(true);
  expect(await shares.enter('a')).toBeNull();
  expect(await shares.enter('b')).not.toBeNull();
  expect(await shares.enter('a')).toBeNull();
});

it('a slot that becomes free goes to the account that holds fewest', async () => {
  const shares = createAccountShares(2, 60_000);
  const [first] = await Promise.all(['a', 'a', 'b'].map((account) => shares.enter(account)));
  const started: string[] = [];
  for (const account of ['a', 'c']) void shares.enter(account).then(() => started.push(account));
  first?.();
  await vi.waitFor(() => expect(started).toEqual(['c']));
});

it('never more than the total are under way, and what is left is always free for a newcomer or full of its owners', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.record({ account: fc.constantFrom('a', 'b', 'c'), leaves: fc.boolean() }), {
        maxLength: 40,
      }),
      async (capacity, steps) => {
        const shares = createAccountShares(capacity, 0);
        const open: { account: string; leave: () => void }[] = [];
        for (const { account, leaves } of steps) {
          if (leaves) open.shift()?.leave();
          const leave = await shares.enter(account);
          if (leave) open.push({ account, leave });
          const own = open.filter((entry) => entry.account === account).length;
          expect(open.length).toBeLessThanOrEqual(shares.total);
          // Nobody is refused while there is room for it.
          if (leave === null) expect(open.length >= shares.total || own >= 1).toBe(true);
          if (open.length < capacity) expect(leave).not.toBeNull();
        }
      },
    ),
  );
});
