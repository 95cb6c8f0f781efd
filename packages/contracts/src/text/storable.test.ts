import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  cutText,
  findUnstorable,
  shortenText,
  toStorableJson,
  toStorableJsonText,
  toStorableText,
  toStorableValue,
} from './storable.ts';

/** Any UTF-16 units, with those that Postgres refuses more often than by chance. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\0', '\uD83D', '\uDE00', '\u{1F600}', '\\', '"', '\\u0000', '\\ud83d', '\u0085', '\n'),
      fc.constantFrom('__proto__', 'constructor', 'a'),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(''));
const hostileJson = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, hostileText, fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(hostileText, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
})).value;

it('a storable text holds nothing that Postgres refuses, and a sound text stays as it is', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const storable = toStorableText(text);
      expect(findUnstorable(storable)).toBeUndefined();
      expect(toStorableText(storable)).toBe(storable);
      if (findUnstorable(text) === undefined) expect(storable).toBe(text);
    }),
  );
});

it('storable JSON is that of the storable value', () => {
  fc.assert(
    fc.property(hostileJson, (value) => {
      expect(findUnstorable(toStorableValue(value))).toBeUndefined();
      expect(JSON.parse(toStorableJson(value))).toEqual(JSON.parse(JSON.stringify(toStorableValue(value))));
    }),
  );
});

it('JSON text as a site escaped it becomes storable, whatever its escapes', () => {
  const escaped = (text: string): string =>
    `"${Array.from({ length: text.length }, (_, at) => String.raw`\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
  fc.assert(
    fc.property(hostileText, (text) => {
      // Each half of a lone pair is replaced; NUL between halves does not join them.
      const whole = JSON.parse(toStorableJsonText(escaped(text))) as string;
      expect(whole).toBe(toStorableText(text));
    }),
  );
});

it('a cut text is a beginning without half of a pair, at most one unit shorter than asked for', () => {
  fc.assert(
    fc.property(hostileText.map(toStorableText), fc.nat(20), (text, length) => {
      const cut = cutText(text, length);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(length);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length) - 1);
      expect(shortenText(text, length)).toBe(text.length <= length ? text : `${cut}…`);
    }),
  );
});
