import { expect, it } from 'vitest';
import { barsOf, PERIODS, stepsOf, ticksOf } from './periods.ts';

const now = new Date(2026, 2, 5, 15, 20).getTime();

function used(at: Date, succeeded: number, failed: number) {
  return { from: at.toISOString(), pages: { succeeded, failed, unchanged: 0 } };
}

it('has a bar for each hour or day of a period, the present one last', () => {
  const bars = barsOf(
    [used(new Date(2026, 2, 5, 15), 7, 2), used(new Date(2026, 2, 4, 16), 1, 0)],
    'day',
    now,
  );
  expect(bars).toHaveLength(24);
  expect([bars[0]?.good, bars[23]?.good, bars[23]?.bad]).toEqual([1, 7, 2]);
  expect(bars[23]?.title).toMatch(/: 7 pages, 2 failed$/);
  expect(bars[0]?.title).toMatch(/: 1 page$/);
  const days = barsOf([used(new Date(2026, 2, 5), 3, 0), used(new Date(2026, 1, 1), 9, 9)], 'month', now);
  expect(days).toHaveLength(30);
  expect(days.map(({ good }) => good).filter((count) => count > 0)).toEqual([3]);
});

it('names a few of the hours and days', () => {
  expect(ticksOf('day', now)).toHaveLength(4);
  expect(ticksOf('week', now)).toHaveLength(7);
  expect(ticksOf('month', now).at(-1)).toEqual({ index: 29, text: 'today' });
  for (const period of ['day', 'week', 'month'] as const)
    expect(stepsOf(period, now)).toHaveLength(PERIODS[period].steps);
});
