import { expect, it } from 'vitest';
import { topOf } from './scale.ts';

it('ends the scale at a round number that no bar exceeds', () => {
  const topFor = (good: number, bad = 0): number => topOf([{ good, bad }]);
  expect([0, 1, 3, 7, 10, 12, 399, 401, 12_480].map((most) => topFor(most))).toEqual([
    1, 1, 4, 10, 10, 20, 400, 1_000, 20_000,
  ]);
  expect(topFor(150, 60)).toBe(400);
  expect(topOf([])).toBe(1);
});
