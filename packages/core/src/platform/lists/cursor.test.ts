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
      expect(decodeCursor('a', encodeCursor('a', list), list.length)).toEqual(list);
    }),
  );
});

test('any other text is rejected as an invalid cursor', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[\w-]*$/.test(text) || Buffer.from(text, 'base64url').toString().at(0) !== '[');
      expect(() => decodeCursor('a', text, 1)).toThrow(AppError);
    }),
  );
  expect(() => decodeCursor('a', encodeCursor('a', ['a', 'b']), 1)).toThrow(/invalid request/);
  expect(() => decodeCursor('a', encodeCursor('a', ['a\0']), 1)).toThrow(/invalid request/);
  expect(() => decodeCursor('a', encodeCursor('b', ['a']), 1)).toThrow(/invalid request/);
  // A walk may go on after an update from a version whose cursors named no list.
  expect(decodeCursor('a', Buffer.from('["x"]').toString('base64url'), 1)).toEqual(['x']);
});

test('a place is a whole number that a column holds', () => {
  const places = fc.array(fc.integer({ min: -1, max: 2_147_483_647 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(places, (list) => {
      expect(decodePlaces('a', encodeCursor('a', list), list.length)).toEqual(list);
    }),
  );
  for (const value of ['a', '1', null, 1.5, -2, 2_147_483_648, 1e30])
    expect(() => decodePlaces('a', encodeCursor('a', [1, value]), 2)).toThrow(/invalid request/);
});
