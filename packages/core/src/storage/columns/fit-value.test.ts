import { expect, it } from 'vitest';
import { asFormatted, fitCarried, fitValue, readColumnType } from './table-types.ts';

it.each<[unknown, string, string]>([
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
  ['2024-02-29T10:00:00.1234560Z', 'timestamptz', '2024-02-29T10:00:00.123456Z'],
  [{ a: [1, 'x\0'] }, 'jsonb', '{"a":[1,"x"]}'],
  [{ a: 1 }, 'json', '{"a":1}'],
  ['🙂🙂', 'varchar(2)', '🙂🙂'],
  [12, 'varchar(2)', '12'],
  ['ab   ', 'char(3)', 'ab'],
  [-32_768, 'smallint', '-32768'],
  [2_147_483_647, 'integer', '2147483647'],
  [19.99, 'numeric(4,2)', '19.99'],
  [1e21, 'numeric', '1000000000000000000000'],
  [1e-7, 'numeric', '0.0000001'],
  [1200, 'numeric(2,-2)', '1200'],
  [0, 'numeric(2,2)', '0'],
  [0.1, 'real', '0.1'],
  [16_777_216, 'real', '16777216'],
  ['10:30', 'time', '10:30:00.000'],
  ['10:30:05.25', 'time(2)', '10:30:05.250'],
  ['2024-02-29T10:00:00+02:00', 'timestamp', '2024-02-29T08:00:00.000'],
  ['2024-02-29T10:00:00.50Z', 'timestamp(1)', '2024-02-29T10:00:00.500'],
  ['A0EEBC999C0B4EF8BB6D6BB9BD380A11', 'uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  [['a', 'b"c', null, 1], 'text[]', '{"a","b\\"c",NULL,"1"}'],
  [[], 'text[]', '{}'],
])('%j fits %s', (value, type, text) => {
  expect(fitValue(value, type)).toBe(text);
});

it.each<[unknown, string]>([
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
  ['2024-02-29T10:00:00.1234567Z', 'timestamptz'],
  ['2024-02-29T10:00:00.5Z', 'timestamptz(0)'],
  ['abc', 'varchar(2)'],
  ['abcd', 'char(3)'],
  [32_768, 'smallint'],
  [1.5, 'integer'],
  [2_147_483_648, 'integer'],
  [19.999, 'numeric(10,2)'],
  [100, 'numeric(4,2)'],
  [1250, 'numeric(2,-2)'],
  ['1.5', 'numeric'],
  [Number.NaN, 'numeric'],
  [16_777_217, 'real'],
  [1e39, 'real'],
  [1e-50, 'real'],
  ['24:30', 'time'],
  [1, 'uuid'],
  ['a0eebc99', 'uuid'],
  ['a', 'text[]'],
  [[{}], 'text[]'],
])('%j does not fit %s', (value, type) => {
  expect(fitValue(value, type)).toBeUndefined();
});

it.each<[unknown, string, string | undefined]>([
  ['12345678901234567890.10', 'numeric', '12345678901234567890.1'],
  ['12345678901234567890', 'double precision', undefined],
  ['9223372036854775807', 'bigint', '9223372036854775807'],
  ['9223372036854775808', 'bigint', undefined],
  ['5.0', 'integer', '5'],
  ['05', 'integer', undefined],
  ['1.5', 'double precision', '1.5'],
  ['0.1', 'real', '0.1'],
  ['true', 'boolean', 'true'],
  ['-0', 'numeric', '0'],
])('%j of a CSV for %s is %j', (value, type, text) => {
  expect(fitCarried(value, type)).toBe(text);
});

it.each([
  ['character varying(20)', 'varchar(20)'],
  ['character varying', 'text'],
  ['character(5)', 'char(5)'],
  ['timestamp(3) with time zone', 'timestamptz(3)'],
  ['timestamp without time zone', 'timestamp'],
  ['time(0) without time zone', 'time(0)'],
  ['numeric(5,-2)', 'numeric(5,-2)'],
  ['time with time zone', undefined],
  ['character varying(20)[]', undefined],
  ['bytea', undefined],
])('%s of Postgres is %s', (formatted, type) => {
  expect(readColumnType(formatted)).toBe(type);
});

it('writes a type of a sink as Postgres formats it', () => {
  expect(['numeric(10, 2)', 'numeric(10)', 'uuid'].map(asFormatted)).toEqual([
    'numeric(10,2)',
    'numeric(10,0)',
    'uuid',
  ]);
});
