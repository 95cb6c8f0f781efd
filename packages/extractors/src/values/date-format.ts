import type { Months } from './month-names.ts';
import { clock, fullYear, type DateParts } from './date-parts.ts';
import { readOffset } from './zones.ts';

/** Pattern letters, each with the part of the date that they fill and the text that they match. */
const LETTERS = new Map(
  String.raw`yyyy year \d{4};yy year2 \d{2};y year \d{1,4};MM month \d{2};M month \d{1,2};dd day \d{2};d day \d{1,2}
MMMM name [\p{L}\p{M}]+;MMM name [\p{L}\p{M}]+\.?;EEEE weekday [\p{L}\p{M}]+;EEE weekday [\p{L}\p{M}]+\.?
HH hour \d{2};H hour \d{1,2};hh hour \d{2};h hour \d{1,2};a half [ap]\.?m\.?;mm minute \d{2};m minute \d{1,2}
ss second \d{2};s second \d{1,2};SSS millisecond \d{3}
XXX zone Z|[+-]\d{2}:?\d{2};Z zone Z|[+-]\d{2}:?\d{2};z zone [A-Za-z]{1,5}(?:[+-]\d{1,2})?`
    .split(/[;\n]/)
    .map((entry) => {
      const [letters = '', part = '', pattern = ''] = entry.split(' ');
      return [letters, { part, pattern }] as const;
    }),
);

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
    const known = LETTERS.get(token);
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
    const known = letter === undefined ? undefined : LETTERS.get(token);
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
    const hour = number('hour');
    const zone = values.get('zone');
    const offsetMinutes = zone === undefined ? undefined : readOffset(zone);
    if (zone !== undefined && offsetMinutes === undefined) return undefined;
    const result: DateParts = {
      year: number('year') ?? (short === undefined ? 0 : fullYear(String(short).padStart(2, '0'))),
      month: name === undefined ? (number('month') ?? 0) : (months().names.get(name) ?? 0),
      day: number('day') ?? 0,
    };
    if (hour !== undefined) result.hour = clock(hour, values.get('half'));
    for (const part of ['minute', 'second', 'millisecond'] as const) {
      const value = number(part);
      if (value !== undefined) result[part] = value;
    }
    if (offsetMinutes !== undefined) result.offsetMinutes = offsetMinutes;
    return result;
  };
}
