import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestKey, generateKey, readPublicId } from './key-ring.ts';

test('a generated key has the form gln_<8>_<38> and contains its public id', () => {
  const { key, publicId, lastFour, digest } = generateKey();
  expect(key).toMatch(/^gln_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
  expect(readPublicId(key)).toBe(publicId);
  expect(key.endsWith(lastFour)).toBe(true);
  expect(digestKey(key).equals(digest)).toBe(true);
});

test('a key with one changed character is rejected without a query', () => {
  const { key } = generateKey();
  fc.assert(
    fc.property(
      fc.nat(key.length - 1),
      fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '_', '-', 'é'),
      (index, character) => {
        fc.pre(key.charAt(index) !== character);
        expect(readPublicId(key.slice(0, index) + character + key.slice(index + 1))).toBeNull();
      },
    ),
  );
});

test('arbitrary text is not a key', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readPublicId(text)).toBeNull();
    }),
  );
});
