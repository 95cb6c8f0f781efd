import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOfText } from './note-values.ts';

/** The same by one pattern, for texts of any script. */
function shapeByPattern(text: string): string {
  if (text.length > 80) return 'prose';
  const isDate = /\d[-/.]\d+[-/.]\d/.test(text);
  let shape = '';
  for (const [run] of text.matchAll(/\d+|\p{L}+(?:[\s'’]+\p{L}+)*|\s+|[^\d\p{L}\s]/gu)) {
    if (/^\d/.test(run)) shape += isDate && /^(?:19|20)\d\d$/.test(run) ? '9999' : '9';
    else if (/^\p{L}/u.test(run)) shape += 'w';
    else shape += /^\s/.test(run) ? ' ' : run;
    if (shape.length >= 24) break;
  }
  return shape.slice(0, 24);
}

describe('the shape of a text', () => {
  it.each([
    ['May 3, 2024', 'w 9, 9'],
    ['2024-05-03', '9999-9-9'],
    ["O'Neill & Sons", 'w & w'],
    ['l’été à Paris', 'w'],
    ['$ 1,250.00', '$ 9,9.9'],
    ['Café 12', 'w 9'],
    ['x'.repeat(81), 'prose'],
    ['', ''],
  ])('of %j is %j', (text, shape) => expect(shapeOfText(text)).toBe(shape));

  it('is the same whichever way it is read', () => {
    const part = fc.constantFrom(
      'a',
      'Zq',
      ' ',
      '\t',
      "'",
      '’',
      '7',
      '2024',
      '-',
      '/',
      '.',
      ',',
      'é',
      'Ж',
      '\u00a0',
      '😀',
      '$',
      '٣',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          expect(shapeOfText(text)).toBe(shapeByPattern(text));
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
