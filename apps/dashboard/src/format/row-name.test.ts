import { expect, it } from 'vitest';
import { rowName } from './row-name.ts';

it('names a row by its key', () => {
  const row = { _url: 'https://shop.test/p/1', shop: 'north', no: 7 };
  expect(rowName(row, ['_url'])).toBe('https://shop.test/p/1');
  expect(rowName(row, ['no'])).toBe('7');
  expect(rowName(row, ['shop', 'no'])).toBe('["north",7]');
});

it('names a row without a key by all it has, in a few characters', () => {
  const name = rowName({ title: 'a', text: 'x'.repeat(10_000) }, []);
  expect(name).toMatch(/^[\da-z]{1,7}$/);
  expect(rowName({ title: 'b', text: 'x'.repeat(10_000) }, [])).not.toBe(name);
});
