import fc from 'fast-check';
import { expect, it } from 'vitest';
import { areLongTexts, textDifference } from './text-difference.ts';

function tell(before: string, after: string): string[] {
  return textDifference(before, after).map(({ side, text }) => `${side === 'before' ? '-' : '+'}${text}`);
}

it('tells the lines that came and went', () => {
  expect(tell('a\nb\nc', 'a\nx\nc\nd')).toEqual(['-b', '+x', '+d']);
  expect(tell('a\n\n  b', 'a\nb')).toEqual([]);
  expect(tell('', 'a')).toEqual(['+a']);
  expect(tell('1\n2\n3\n4', '2\n3\n4\n1')).toEqual(['-1', '+1']);
  expect(areLongTexts('a', 'b')).toBe(false);
  expect(areLongTexts('a\nb', 'b')).toBe(true);
  expect(areLongTexts(3, 'a\nb')).toBe(false);
});

it('leads from one text to the other, and says as little as it can', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const told = textDifference(before.join('\n'), after.join('\n'));
      const count = (lines: readonly string[], of: string): number =>
        lines.filter((line) => line === of).length;
      for (const line of ['a', 'b', 'c']) {
        const came = count(
          told.flatMap(({ side, text: one }) => (side === 'after' ? [one] : [])),
          line,
        );
        const went = count(
          told.flatMap(({ side, text: one }) => (side === 'before' ? [one] : [])),
          line,
        );
        expect(count(before, line) + came - went).toBe(count(after, line));
      }
      expect(told.length).toBeLessThanOrEqual(before.length + after.length);
    }),
  );
});

it('takes texts of any length', () => {
  const long = Array.from({ length: 30_000 }, (_, n) => `line ${n}`).join('\n');
  expect(tell(long, `${long}\nmore`)).toEqual(['+more']);
  expect(textDifference(long, long.replaceAll('line', 'row'))).toHaveLength(60_000);
});
