import { expect, test } from 'vitest';
import { createSparingWarnings } from './sparing-warnings.ts';

test('of a flood one warning is logged in a while, and says how many were not', () => {
  const lines: unknown[] = [];
  let now = 0;
  const warn = createSparingWarnings({ warn: (...line) => lines.push(line) }, 100, () => now);
  const err = new Error('away');
  for (now = 0; now < 250; now += 10) warn({ err, queue: 'http' }, 'failed');
  warn({ err, queue: 'browser' }, 'failed');
  expect(lines).toEqual([
    [{ err, queue: 'http' }, 'failed'],
    [{ err, queue: 'http', unsaid: 9 }, 'failed'],
    [{ err, queue: 'http', unsaid: 9 }, 'failed'],
    [{ err, queue: 'browser' }, 'failed'],
  ]);
});
