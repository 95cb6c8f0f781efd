import type { Months } from './month-names.ts';
import { fullYear, type DateParts } from './date-parts.ts';
import { readOffset } from './zones.ts';

/** Pattern letters, with the part of the date that they fill and the text that they match. */
const LETTERS: Readonly<Record<string, { pattern: string; part: string }>> = {
  yyyy: { pattern: '\\d{4}', part: 'year' },
  yy: { pattern: '\\d{2}', part: 'year2' },
  y: { pattern: '\\d{1,4}', part: 'year' },
  MMMM: { pattern: '[\\p{L}\\p{M}]+', part: 'name' },
  MMM: { pattern: '[\\p{L}\\p{M}]+\\.?', part: 'name' },
  MM: { pattern: '\\d{2}', part: 'month' },
  M: { pattern: '\\d{1,2}', part: 'month' },
  dd: { pattern: '\\d{2}', part: 'day' },
  d: { pattern: '\\d{1,2}', part: 'day' },
  EEEE: { pattern: '[\\p{L}\\p{M}]+', part: '' },
  EEE: { pattern: '[\\p{L}\\p{M}]+\\.?', part: '' },
  HH: { pattern: '\\d{2}', part: 'hour' },
  H: { pattern: '\\d{1,2}', part: 'hour' },
  hh: { pattern: '\\d{2}', part: 'hour' },
  h: { pattern: '\\d{1,2}', part: 'hour' },
  mm: { pattern: '\\d{2}', part: 'minute' },
  m: { pattern: '\\d{1,2}', part: 'minute' },
  ss: { pattern: '\\d{2}', part: 'second' },
  s: { pattern: '\\d{1,2}', part: 'second' },
  SSS: { pattern: '\\d{3}', part: 'millisecond' },
  a: { pattern: '[ap]\\.?m\\.?', part: 'half' },
  XXX: { pattern: 'Z|[+-]\\d{2}:?\\d{2}', part: 'zone' },
  Z: { pattern: 'Z|[+-]\\d{2}:?\\d{2}', part: 'zone' },
  z: { pattern: '[A-Za-z]{1,5}(?:[+-]\\d{1,2})?', part: 'zone' },
};

const TOKEN = /'((?:[^']|'')*)'|([A-Za-z])\2*|\s+|[^A-Za-z']/gu;

export type FormatFault = { reason: string; column: number };

/** Why a format is invalid; undefined when it is valid. */
export function checkDateFormat(format: string): FormatFault | undefined {
  const parts = new Set<string>();
  let end = 0;
  for (const match of format.matchAll(TOKEN)) {
    const [token, , letter] = match;
    if (match.index !== end) break;
    end += token.length;
    if (letter === undefined) continue;
    const known = LETTERS[token];
    if (known === undefined) return { reason: `unknown pattern letters ${token}`, column: match.index + 1 };
    parts.add(known.part);
  }
  // The tokens cover everything except an unclosed quote.
  if (end !== format.length) return { reason: 'this quote is never closed', column: end + 1 };
  const hasYear = parts.has('year') || parts.has('year2');
  if (!hasYear || !(parts.has('month') || parts.has('name')) || !parts.has('day')) {
    return { reason: 'needs a year (yyyy), a month (MM) and a day (dd)', column: 1 };
  }
  return undefined;
}

/** Escapes only characters that Unicode patterns allow: they reject `\-` outside a class. */
function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function compile(format: string): { pattern: RegExp; parts: string[] } {
  const parts: string[] = [];
  let source = '';
  for (const [token, literal, letter] of format.matchAll(TOKEN)) {
    const known = letter === undefined ? undefined : LETTERS[token];
    if (known !== undefined) {
      parts.push(known.part);
      source += `(${known.pattern})`;
    } else if (literal === undefined) {
      source += /^\s/.test(token) ? '\\s+' : escape(token);
    } else {
      source += literal === '' ? "'" : escape(literal.replaceAll("''", "'"));
    }
  }
  return { pattern: new RegExp(`(?<!\\d)${source}(?!\\d)`, 'iu'), parts };
}

/** Reads dates of one format, such as `dd.MM.yyyy HH:mm`, with literal text in single quotes. */
export function createFormatReader(
  format: string,
  months: () => Months,
): (text: string) => DateParts | undefined {
  const { pattern, parts } = compile(format);
  return (text) => {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const values = new Map(parts.map((part, index) => [part, match[index + 1] ?? '']));
    const number = (part: string): number | undefined => {
      const value = values.get(part);
      return value === undefined ? undefined : Number(value);
    };
    const short = number('year2');
    const name = values.get('name')?.toLowerCase().replace(/\.$/, '');
    const half = values.get('half')?.toLowerCase();
    const hour = number('hour');
    const zone = values.get('zone');
    const offsetMinutes = zone === undefined ? undefined : readOffset(zone);
    if (zone !== undefined && offsetMinutes === undefined) return undefined;
    const result: DateParts = {
      year: number('year') ?? (short === undefined ? 0 : fullYear(String(short).padStart(2, '0'))),
      month: name === undefined ? (number('month') ?? 0) : (months().names.get(name) ?? 0),
      day: number('day') ?? 0,
    };
    if (hour !== undefined)
      result.hour = half === undefined ? hour : (hour % 12) + (half.startsWith('p') ? 12 : 0);
    for (const part of ['minute', 'second', 'millisecond'] as const) {
      const value = number(part);
      if (value !== undefined) result[part] = value;
    }
    if (offsetMinutes !== undefined) result.offsetMinutes = offsetMinutes;
    return result;
  };
}
