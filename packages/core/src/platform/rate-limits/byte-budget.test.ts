import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createByteBudget } from './byte-budget.ts';

const TOO_MUCH = expect.objectContaining({ code: 'concurrency_limit_exceeded' }) as Error;

it('refuses a caller above its limit, and gives its bytes back at the end', () => {
  const budget = createByteBudget(100, 1_000);
  const [first, second] = [budget.open('a'), budget.open('a')];
  first.add(60);
  expect(() => second.add(60)).toThrow(TOO_MUCH);
  second.end();
  budget.open('b').add(90);
  first.end();
  first.end();
  budget.open('a').add(100);
});

it('refuses only callers above their even share when the process holds too much', () => {
  const budget = createByteBudget(1_000, 100);
  const large = budget.open('large');
  large.add(95);
  const small = budget.open('small');
  small.add(20);
  expect(() => large.add(1)).toThrow(TOO_MUCH);
  small.add(20);
});

it('counts nothing any more when all bodies have ended', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(50)), { maxLength: 40 }),
      (bodies) => {
        const budget = createByteBudget(200, 300);
        const open = bodies.map(([caller, bytes]) => {
          const held = budget.open(caller);
          try {
            held.add(bytes);
          } catch {
            // It is refused, and ends like the others.
          }
          return held;
        });
        for (const held of open) held.end();
        budget.open('a').add(200);
      },
    ),
  );
});
