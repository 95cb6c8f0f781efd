import { expect, it } from 'vitest';
import { growthOf, type Sample } from './watch-processes.ts';

const MINUTES = 36;

/** One sample every 5 s: what lives, and garbage that is collected every seven minutes. */
function samplesOf(livingMb: (minute: number) => number): Sample[] {
  return Array.from({ length: MINUTES * 12 }, (_, index) => {
    const minute = index / 12;
    return {
      atMs: minute * 60_000,
      name: 'worker',
      pid: 7,
      memoryMb: livingMb(minute) + 30 * (minute % 7),
      handles: 20,
    };
  });
}

it('distinguishes garbage, which comes and goes, from memory that stays', () => {
  const [steady] = growthOf(
    samplesOf(() => 300),
    0,
    60_000,
  );
  const [leaking] = growthOf(
    samplesOf((minute) => 300 + 2 * minute),
    0,
    60_000,
  );
  expect(Math.abs(steady?.leastMbPerMinute ?? 99)).toBeLessThan(0.5);
  expect(leaking?.leastMbPerMinute).toBeGreaterThan(1.5);
  expect(leaking?.leastMbPerMinute).toBeLessThan(2.5);
});

it('leaves the warm-up and short lives out', () => {
  const warmingUp = samplesOf((minute) => (minute < 7 ? 100 * minute : 700));
  expect(growthOf(warmingUp, 7 * 60_000, 60_000)[0]?.leastMbPerMinute).toBeLessThan(1);
  expect(growthOf(warmingUp.slice(-6), 0, 60_000)).toEqual([]);
});
