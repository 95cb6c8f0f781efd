import { expect, it } from 'vitest';
import { timeField } from './fields.ts';

it.each([
  ['2026-01-31T06:30:00Z', '2026-01-31T06:30:00.000Z'],
  ['2026-01-31t06:30:00.5z', '2026-01-31T06:30:00.500Z'],
  ['2026-01-31T06:30:00.123456Z', '2026-01-31T06:30:00.123Z'],
  ['2026-01-31T06:30:00+01:00', '2026-01-31T05:30:00.000Z'],
  ['2026-01-31T23:30:00-02:30', '2026-02-01T02:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
])('the time %s is read as %s', (given, read) => {
  expect(timeField.parse(given)).toBe(read);
});

it.each([
  '',
  'yesterday',
  '2026-02-30',
  '2026-01-31T06:30:00',
  '2026-01-31 06:30',
  '1769841000',
  '0000-01-01T00:00:00+01:00',
])('%j is no time', (given) => {
  const { error } = timeField.safeParse(given);
  expect(error?.issues[0]?.message).toContain('like 2026-01-31T06:30:00Z');
});
