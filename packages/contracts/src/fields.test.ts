import { z } from 'zod';
import { expect, it } from 'vitest';
import * as contracts from './index.ts';
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

it('every time in a request may be any RFC 3339 time or a date', () => {
  const operations = Object.values<unknown>(contracts).filter(
    (value): value is contracts.Operation =>
      typeof value === 'object' && value !== null && 'method' in value && 'path' in value,
  );
  const times = operations.flatMap(({ id, query, body }) =>
    [query?.shape, body !== undefined && 'shape' in body ? (body.shape as z.ZodRawShape) : undefined].flatMap(
      (shape = {}) =>
        Object.entries(shape).flatMap(([name, field]) => {
          const { type, format } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
          return type === 'string' && format === 'date-time' ? [{ at: `${id}.${name}`, field }] : [];
        }),
    ),
  );
  expect(times.length).toBeGreaterThan(5);
  for (const { at, field } of times)
    for (const time of ['2026-11-29', '2026-11-29T10:00:00+01:00', '2026-11-29T10:00:00Z'])
      expect(z.safeParse(field, time).success, `${at} ${time}`).toBe(true);
});
