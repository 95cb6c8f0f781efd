import { expect, it } from 'vitest';
import { splitAttribute } from './attribute.ts';

it.each([
  ['a.next@href', 'a.next', 'href'],
  ['@href', ':scope', 'href'],
  ['.left\\@tablet', '.left\\@tablet', undefined],
  ['.left\\@tablet@title', '.left\\@tablet', 'title'],
])('splits %s', (text, selector, attribute) => {
  expect(splitAttribute(text)).toEqual({ selector, attribute });
});
