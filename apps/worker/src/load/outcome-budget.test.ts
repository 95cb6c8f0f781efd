import { expect, it } from 'vitest';
import { createLargeWrites, LARGE_WRITE } from './large-writes.ts';
import { createOutcomeBudget } from './outcome-budget.ts';

const { signal } = new AbortController();

it('reads no further page of an account that holds its share, and pages of others', async () => {
  const budget = createOutcomeBudget(1_000, 1_500);
  let held = 1_000;
  const forget = budget.watch('acc_1', () => held);
  let hasRead = false;
  const waiting = budget.read('acc_1', signal, async () => {
    hasRead = true;
  });
  expect(await budget.read('acc_2', signal, async () => 'read')).toBe('read');
  // A second account fills the process: one with little of its own still reads.
  const forgetOther = budget.watch('acc_2', () => 900);
  expect(await budget.read('acc_3', signal, async () => 'read')).toBe('read');
  expect(hasRead).toBe(false);
  held = 0;
  await waiting;
  expect(hasRead).toBe(true);
  forget();
  forgetOther();
});

it('ends the wait of a page that is given up', async () => {
  const budget = createOutcomeBudget(1_000, 1_500);
  budget.watch('acc_1', () => 1_000);
  const ending = new AbortController();
  const waiting = budget.read('acc_1', ending.signal, () => Promise.resolve());
  ending.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow();
});

it('makes one large statement of an account at a time, and small ones at once', async () => {
  const write = createLargeWrites();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const begin = (name: string, wait?: Promise<void>) => async () => {
    order.push(name);
    await wait;
  };
  const large = write('acc_1', LARGE_WRITE, begin('large', first.promise));
  const next = write('acc_1', LARGE_WRITE, begin('next'));
  await write('acc_1', 10, begin('small'));
  await write('acc_2', LARGE_WRITE, begin('other'));
  expect(order).toEqual(['large', 'small', 'other']);
  first.resolve();
  await Promise.all([large, next]);
  expect(order).toEqual(['large', 'small', 'other', 'next']);
});
