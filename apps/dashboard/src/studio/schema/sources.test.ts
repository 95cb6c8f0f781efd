import { expect, it } from 'vitest';
import { sourceAt } from './sources.ts';

it.each<[string, number | undefined]>([
  ['css', 0],
  ['css[1]', 1],
  ['any[0]', 2],
  ['any[1].xpath', 3],
  ['any[2].css[1]', 5],
  ['any[2].json.path', 4],
  ['type', undefined],
  ['', undefined],
])('finds the source of a fault at “%s”', (place, index) => {
  const field = { css: ['a', 'b'], any: ['c', { xpath: '//d' }, { css: ['e', 'f'] }] };
  expect(sourceAt(field, place)).toBe(index);
});
