import { expect, it } from 'vitest';
import { burnByDay, burnText, lastDays } from './burn.ts';

it('shows what the service counted on each of the last days, also on days without use', () => {
  const days = lastDays(3, new Date(2026, 2, 5, 15).getTime());
  const used = (day: number, credits: number) => ({
    from: new Date(2026, 2, day).toISOString(),
    credits,
    pages: { succeeded: credits, failed: 0, unchanged: 0 },
  });
  const burnt = burnByDay([used(5, 7), used(3, 2)], days);
  expect(burnt.map((one) => one.used)).toEqual([2, 0, 7]);
});

it('estimates how long the balance lasts', () => {
  const days = [2, 0, 7].map((used, at) => ({ at, used }));
  expect(burnText(days, 30)).toBe(
    '9 credits used in the last 3 days. At this pace the balance lasts about 10 days (estimated)',
  );
  expect(burnText(days, 3_000_000)).toMatch(/for more than a year$/);
  expect(burnText(days, undefined)).toBe('9 credits used in the last 3 days');
  expect(burnText([{ at: 0, used: 0 }], 30)).toBe('0 credits used in the last 1 days');
});
