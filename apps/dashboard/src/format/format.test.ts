import { expect, it } from 'vitest';
import { codeText, shellText } from './code-text.ts';
import {
  linesOf,
  formatBytes,
  formatNumber,
  formatShare,
  plural,
  capitalised,
  cellText,
  memberOf,
  shortId,
  shortUrl,
  formatClock,
  formatDuration,
  formatExact,
  formatMoment,
  formatSpan,
  formatTook,
  formatWhen,
  localText,
} from './format.ts';

it('writes numbers for people', () => {
  expect(formatNumber(12_480)).toBe('12,480');
  expect(plural(1, 'page')).toBe('1 page');
  expect(plural(3000, 'page')).toBe('3,000 pages');
  expect(plural(2, 'address', 'addresses')).toBe('2 addresses');
  expect([999, 1_200, 45_000, 3_400_000].map(formatBytes)).toEqual(['999 B', '1.2 KB', '45 KB', '3.4 MB']);
  expect([999_700, 7_300_000_000, 48e12, 5e15].map(formatBytes)).toEqual([
    '1.0 MB',
    '7.3 GB',
    '48 TB',
    '5,000 TB',
  ]);
});

it('never rounds a share to nothing or to all', () => {
  expect(formatShare(0, 0)).toBe('–');
  expect(formatShare(0, 9)).toBe('0 %');
  expect(formatShare(9, 9)).toBe('100 %');
  expect(formatShare(1, 100_000)).toBe('1 %');
  expect(formatShare(99_999, 100_000)).toBe('99 %');
});

it('writes times in the unit that a person would take', () => {
  expect([45, 100, 7_200, 604_800].map(formatSpan)).toEqual(['45 s', '2 min', '2 h', '7 days']);
  expect([84, 1_240, 185_000, 7_800_000].map(formatDuration)).toEqual([
    '84 ms',
    '1.2 s',
    '3 min 05 s',
    '2 h 10 min',
  ]);
  expect(formatTook('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.500Z')).toBe('1.5 s');
  expect(formatTook('2026-01-01T00:00:00.000Z', null)).toBeUndefined();
});

it('says when something was, as seen from now', () => {
  const now = Date.parse('2026-03-05T12:00:00.000Z');
  const ago = (ms: number): string => formatWhen(new Date(now - ms).toISOString(), now);
  expect(ago(4_000)).toBe('just now');
  expect(ago(180_000)).toBe('3 min ago');
  expect(ago(-7_200_000)).toBe('in 2 h');
});

it('writes a moment in the form of a browser’s own field, which reads it back', () => {
  const at = Date.parse('2026-03-05T12:34:00.000Z');
  expect(new Date(localText(at)).getTime()).toBe(at);
});

it('shortens identifiers, addresses and values', () => {
  expect(shortId('bat_0123456789abcdef')).toBe('bat_…abcdef');
  expect(shortId('bat_short')).toBe('bat_short');
  expect(shortUrl('https://www.shop.test/p/1/')).toBe('shop.test/p/1');
  expect(capitalised('fetch failed')).toBe('Fetch failed');
  expect(cellText(null)).toBe('');
  expect(cellText(['a', 2])).toBe('a, 2');
  expect(cellText({ a: [1] })).toBe('{"a":[1]}');
  expect(cellText('x'.repeat(400))).toBe(`${'x'.repeat(300)}…`);
  expect(memberOf({ a: 1 }, 'a')).toBe(1);
  expect(memberOf('text', 'length')).toBeUndefined();
  expect(linesOf(' a \n\n b\r\n')).toEqual(['a', 'b']);
});

it('writes texts of pages into code so that none ends early or hides', () => {
  expect(shellText("it's $(rm)")).toBe(`'it'\\''s $(rm)'`);
  expect(codeText('a"\u202E\u200B')).toBe('"a\\"\\u202e\\u200b"');
});

it('writes times of day with 24 hours, whatever the language', () => {
  const evening = new Date(2026, 2, 5, 18, 4, 30);
  const iso = evening.toISOString();
  expect(formatClock(iso)).toBe('18:04:30');
  expect(formatWhen(iso, evening.getTime() + 2 * 3_600_000)).toBe('today 18:04');
  expect(formatMoment(iso)).toContain('18:04');
  expect(formatExact(iso).split('\n')[0]).toContain('18:04:30');
});
