import { expect, it } from 'vitest';
import { readRetryAfter } from './retries.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

it.each([
  ['120', 120_000],
  ['1.5', 1_500],
  ['64.57', 64_570],
  ['0', 0],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['999999', 3_600_000],
  ['-1', undefined],
  ['120;', undefined],
  ['soon', undefined],
  ['', undefined],
])('Retry-After: %s is read as %s ms', (text, ms) => {
  expect(readRetryAfter({ 'retry-after': text }, NOW)).toBe(ms);
});
