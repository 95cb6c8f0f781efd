import type { ColumnType } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { fitValue } from './columns.ts';

it.each<[unknown, ColumnType, string]>([
  ['a', 'text', 'a'],
  [1.5, 'text', '1.5'],
  [true, 'text', 'true'],
  [1e21, 'double precision', '1e+21'],
  [-0, 'bigint', '0'],
  [9_007_199_254_740_991, 'bigint', '9007199254740991'],
  [false, 'boolean', 'false'],
  ['2024-02-29', 'date', '2024-02-29'],
  ['2024-02-29', 'timestamptz', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T10:00', 'timestamptz', '2024-02-29T10:00:00.000Z'],
  ['2024-02-29 10:00:00.5', 'timestamptz', '2024-02-29T10:00:00.500Z'],
  ['2024-02-29T10:00:00+0530', 'timestamptz', '2024-02-29T04:30:00.000Z'],
  [{ a: [1, 'x\0'] }, 'jsonb', '{"a":[1,"x"]}'],
])('%j fits %s', (value, type, text) => {
  expect(fitValue(value, type)).toBe(text);
});

it.each<[unknown, ColumnType]>([
  [{}, 'text'],
  [['a'], 'text'],
  ['1.5', 'double precision'],
  [Number.NaN, 'double precision'],
  [Number.POSITIVE_INFINITY, 'double precision'],
  [1.5, 'bigint'],
  [2 ** 53, 'bigint'],
  ['true', 'boolean'],
  [1, 'boolean'],
  ['2023-02-29', 'date'],
  ['2024-13-01', 'date'],
  ['0000-01-01', 'date'],
  ['2024-02-29T10:00:00Z', 'date'],
  ['yesterday', 'timestamptz'],
  ['2024-02-30T10:00:00Z', 'timestamptz'],
  ['2024-02-29T25:00:00Z', 'timestamptz'],
  [1_700_000_000, 'timestamptz'],
])('%j does not fit %s', (value, type) => {
  expect(fitValue(value, type)).toBeUndefined();
});
