import { expect, test } from 'vitest';
import { paceOf } from './run-minutes.ts';

function at(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

function timeouts(count: number) {
  return [{ error: 'fetch timed out', count }];
}

test('a run has a bar a minute, also where no page ended, and its causes over the same time', () => {
  const { bars, causes, perMinute } = paceOf([
    { at: at(0), succeeded: 8, failures: [] },
    { at: at(3), succeeded: 2, failures: [...timeouts(4), { error: 'target blocked', count: 2 }] },
  ]);
  expect(bars.map(({ good, bad }) => [good, bad])).toEqual([
    [8, 0],
    [0, 0],
    [0, 0],
    [2, 6],
  ]);
  expect(causes.map(({ error, count }) => [error, count])).toEqual([
    ['fetch timed out', 4],
    ['target blocked', 2],
  ]);
  expect(causes[0]?.sparks.map(({ share }) => share)).toEqual([null, null, null, 1]);
  expect(perMinute).toBe(4);
});

test('a long run has at most 60 bars, each with the mean of its minutes', () => {
  const minutes = Array.from({ length: 600 }, (_, minute) => ({
    at: at(minute),
    succeeded: 20,
    failures: minute < 10 ? timeouts(1) : [],
  }));
  const { bars, causes } = paceOf(minutes);
  expect(bars).toHaveLength(60);
  expect(bars.map(({ good }) => good)).toEqual(Array(60).fill(20));
  expect(bars[0]?.bad).toBe(1);
  expect(causes[0]?.sparks.filter(({ share }) => share !== null)).toHaveLength(1);
});
