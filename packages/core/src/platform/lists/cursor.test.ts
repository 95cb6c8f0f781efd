import { AppError } from '@gleaner/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, decodePlaces, encodeCursor } from './page.ts';

const values = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
  minLength: 1,
  maxLength: 3,
});

test('decoding a cursor returns the encoded values', () => {
  fc.assert(
    fc.property(values, (list) => {
      expect(decodeCursor(encodeCursor(list), list.length)).toEqual(list);
    }),
  );
});

test('any other text is rejected as an invalid cursor', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[\w-]*$/.test(text) || Buffer.from(text, 'base64url').toString().at(0) !== '[');
      expect(() => decodeCursor(text, 1)).toThrow(AppError);
    }),
  );
  expect(() => decodeCursor(encodeCursor(['a', 'b']), 1)).toThrow(/invalid request/);
  expect(() => decodeCursor(encodeCursor(['a\0']), 1)).toThrow(/invalid request/);
});

test('a place is a whole number that a column holds', () => {
  const places = fc.array(fc.integer({ min: -1, max: 2_147_483_647 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(places, (list) => {
      expect(decodePlaces(encodeCursor(list), list.length)).toEqual(list);
    }),
  );
  for (const value of ['a', '1', null, 1.5, -2, 2_147_483_648, 1e30])
    expect(() => decodePlaces(encodeCursor([1, value]), 2)).toThrow(/invalid request/);
});
