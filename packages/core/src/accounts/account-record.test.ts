import { expect, it } from 'vitest';
import { requireName } from './account-record.ts';

it('accepts a name of one line', () => {
  expect(requireName(' Ünïcode & Söhne 株式会社 🧺\n')).toBe('Ünïcode & Söhne 株式会社 🧺');
  expect(requireName('x'.repeat(200))).toHaveLength(200);
});

it.each(['', ' \t', 'x'.repeat(201), 'a\nb', 'a\rb', 'a\u0000b', 'a\u001B[31mb', 'a\u0085b', 'a\u2028b'])(
  'refuses %j',
  (text) => {
    expect(() => requireName(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  },
);
