import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';

/** A whole number that may be one whose digits are kept. */
const LONG_WHOLE = /(?<![\d.eE+])\d{16,}(?![\d.eE])/;

it('keeps the digits of whole numbers that JavaScript would round, wherever they are', () => {
  const text = '{"a":[1234567890123456789, -9007199254740993],"b":{"c" : 9007199254740993}}';
  expect(parseExactJson(text)).toEqual({
    a: ['1234567890123456789', '-9007199254740993'],
    b: { c: '9007199254740993' },
  });
  expect(parseExactJson(' 12345678901234567890')).toBe('12345678901234567890');
});

it('reads all other JSON as JSON.parse does', () => {
  const others =
    '{"a":[9007199254740991,-9007199254740991,1e20,1.50000000000000000],"b":"1:12345678901234567"}';
  expect(parseExactJson(others)).toEqual(JSON.parse(others));
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!LONG_WHOLE.test(text));
      expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(() => parseExactJson('{')).toThrow(SyntaxError);
});
