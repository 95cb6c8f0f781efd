import { expect, test } from 'vitest';
import { findJsonExcess } from './check-json-size.ts';

function names(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join(',')}}`;
}

test.each([
  ['a list', `[${'1,'.repeat(200_000)}1]`, /more than 200000 values/],
  ['empty objects', `[${'{},'.repeat(150_000)}{}]`, /more than 200000 values/],
  ['names of one object', names(10_001), /more than 10000 fields/],
  ['names of an object in a list', `[[],${names(10_001)}]`, /more than 10000 fields/],
  ['names of wide objects', `[${`${names(9_000)},`.repeat(10)}{}]`, /more than 200000 values/],
  [
    'different names',
    `[${Array.from({ length: 60_000 }, (_, at) => `{"name of ${at}":0}`).join(',')}]`,
    /more than 50000 different names/,
  ],
  ['depth', '['.repeat(201), /deeper than 200/],
])('too many of %s are found without parsing', (_, json, detail) => {
  expect(findJsonExcess(json)).toMatch(detail);
});

test.each([
  ['brackets and commas in a text', JSON.stringify({ a: `${'[,{'.repeat(300_000)}\\"` })],
  ['as many names as are allowed', names(10_000)],
  ['quotes in a text', JSON.stringify({ a: '"\\'.repeat(1_000_000) })],
  [
    'as many different names as are allowed',
    `[${Array.from({ length: 50_000 }, (_, at) => `{"name of ${at}":"0123456789"}`).join(',')}]`,
  ],
  ['many small objects', `[${'{"a":1,"b":2},'.repeat(9_000)}{}]`],
  ['brackets that do not match', ']]]},,'],
])('%s are no excess', (_, json) => {
  expect(findJsonExcess(json)).toBeUndefined();
});

test('a caller may allow more values', () => {
  expect(findJsonExcess(`[${'1,'.repeat(300_000)}1]`, 4_000_000)).toBeUndefined();
});
