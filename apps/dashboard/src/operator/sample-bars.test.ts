import { expect, test } from 'vitest';
import { sampleBars } from './sample-bars.ts';

test('each five minutes of a day have the bar of their sample, or none', () => {
  const now = Date.UTC(2026, 0, 2, 12, 34);
  const samples = [
    { at: '2026-01-01T13:05:00.000Z', value: 4 },
    { at: '2026-01-02T12:30:00.000Z', value: 7 },
    { at: '2026-01-01T12:00:00.000Z', value: 9 },
  ];
  const bars = sampleBars(samples, ({ value }) => value, 's', now);
  expect(bars).toHaveLength(288);
  expect(bars.flatMap(({ good }, index) => (good === 0 ? [] : [[index, good]]))).toEqual([
    [1, 4],
    [282, 7],
  ]);
  expect(bars[1]?.title).toMatch(/: 4 s$/);
  expect(bars[0]?.title).toMatch(/: not known$/);
});
