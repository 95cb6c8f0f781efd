import { expect, it } from 'vitest';
import { burnByDay, burnText } from './burn.ts';

it('counts settled credits on each of the last days, also on days without use', () => {
  const now = new Date(2026, 2, 5, 15).getTime();
  const at = (day: number, hour: number): string => new Date(2026, 2, day, hour).toISOString();
  const days = burnByDay(
    [
      { kind: 'settle', credits: 3, created_at: at(5, 1) },
      { kind: 'settle', credits: 4, created_at: at(5, 14) },
      { kind: 'reserve', credits: 9, created_at: at(5, 2) },
      { kind: 'settle', credits: 2, created_at: at(3, 23) },
    ],
    3,
    now,
  );
  expect(days.map(({ used }) => used)).toEqual([2, 0, 7]);
});

it('estimates how long the balance lasts, unless entries of these days are missing', () => {
  const days = [2, 0, 7].map((used, at) => ({ at, used }));
  expect(burnText(days, 30, false)).toBe(
    '9 credits used in the last 3 days. At this pace the balance lasts about 10 days (estimated)',
  );
  expect(burnText(days, 3_000_000, false)).toMatch(/for more than a year$/);
  expect(burnText(days, 30, true)).toBe('At least 9 credits used in the last 3 days');
  expect(burnText([{ at: 0, used: 0 }], 30, false)).toBe('0 credits used in the last 1 days');
});
