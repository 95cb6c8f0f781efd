import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const place = { secretKey: 'ab'.repeat(32), place: 'database:db_1' };

it('opens any sealed text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(unseal(seal(text, place), place)).toBe(text);
    }),
  );
});

it('seals the same text to different bytes, which never contain the text', () => {
  const [one, two] = [seal('postgres://secret', place), seal('postgres://secret', place)];
  expect(one.equals(two)).toBe(false);
  expect(one.toString('latin1')).not.toContain('secret');
});

it('does not open with another key, in another context, or after any bit changed', () => {
  const sealed = seal('text', place);
  const refused = { code: 'temporarily_unavailable', retryable: false };
  const attempt = (bytes: Uint8Array, at: typeof place) => () => unseal(bytes, at);
  expect(attempt(sealed, { ...place, secretKey: 'cd'.repeat(32) })).toThrow(expect.objectContaining(refused));
  expect(attempt(sealed, { ...place, place: 'database:db_2' })).toThrow(expect.objectContaining(refused));
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(attempt(changed, place)).toThrow(expect.objectContaining(refused));
  }
  expect(attempt(new Uint8Array(), place)).toThrow(expect.objectContaining(refused));
});

it('names the missing setting', () => {
  expect(() => seal('text', { ...place, secretKey: undefined as string | undefined })).toThrow(
    'GLEANER_SECRET_KEY',
  );
});
