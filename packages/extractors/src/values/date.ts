import { toAsciiDigits } from './digits.ts';
import { createFormatReader } from './date-format.ts';
import {
  formatDate,
  formatDatetime,
  isRealDate,
  readTime,
  readTimeBefore,
  type DateParts,
} from './date-parts.ts';
import { isMonthFirst, monthNames } from './month-names.ts';
import { ABSENT, invalidReading, valueReading, type Reading } from './reading.ts';

const ISO =
  /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z(?![A-Za-z])|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?/;
const YEAR_FIRST = /(?<!\d)(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)/;
const EAST_ASIAN = /(?<!\d)(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]?/;
const DOTTED = /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?!\d)/;
const SLASHED = /(?<!\d)(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;
/** `3. März 2026`, `3 de marzo de 2026`, `3rd March, 2026` */
const DAY_MONTH =
  /(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª|e)?[\s-]*(?:de\s+|of\s+|d['’])?([\p{L}\p{M}]{2,})\.?,?[\s-]*(?:de\s+|del\s+)?(\d{4})(?!\d)/giu;
/** `March 3, 2026`, `Mar. 3rd 2026` */
const MONTH_DAY =
  /(?<![\p{L}\p{M}])([\p{L}\p{M}]{2,})\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?(?:,|\s|-)\s*(\d{4})(?!\d)/giu;
/** `2026. március 3.`, `2026 March 3` */
const YEAR_MONTH_DAY = /(?<!\d)(\d{4})\.?,?[\s-]+([\p{L}\p{M}]{2,})\.?[\s-]+(\d{1,2})(?!\d)/giu;

interface Found {
  parts: DateParts;
  before: string;
  after: string;
}

type Outcome = Found | { reason: string } | undefined;

function fullYear(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

function found(text: string, match: RegExpExecArray | RegExpMatchArray, parts: DateParts): Found {
  return {
    parts,
    before: text.slice(0, match.index),
    after: text.slice((match.index ?? 0) + match[0].length),
  };
}

function readNumeric(text: string, monthFirst: boolean | undefined): Outcome {
  for (const pattern of [YEAR_FIRST, EAST_ASIAN]) {
    const match = pattern.exec(text);
    if (match) {
      return found(text, match, { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) });
    }
  }
  const dotted = DOTTED.exec(text);
  if (dotted) {
    return found(text, dotted, {
      year: fullYear(dotted[3] ?? ''),
      month: Number(dotted[2]),
      day: Number(dotted[1]),
    });
  }
  const match = SLASHED.exec(text);
  if (!match) return undefined;
  const [, one, , two, year = ''] = match;
  const [first, second] = [Number(one), Number(two)];
  const order = monthFirst ?? (first > 12 ? false : second > 12 ? true : undefined);
  if (order === undefined && first !== second) {
    return { reason: 'is ambiguous between day and month; give locale or format' };
  }
  if (year.length === 2 && monthFirst === undefined)
    return { reason: 'has a two-digit year; give locale or format' };
  const [month, day] = order === true ? [first, second] : [second, first];
  return found(text, match, { year: fullYear(year), month, day });
}

function readIso(text: string): Found | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [whole, year, month, day, hour] = match;
  const parts: DateParts = { year: Number(year), month: Number(month), day: Number(day) };
  if (hour === undefined) return found(text, match, parts);
  // The text after the time matters too: `5:30 PM`, `10:00 UTC`.
  const start = match.index + whole.indexOf(':') - hour.length;
  return found(text, match, { ...parts, ...readTime(text.slice(start, start + 60)) });
}

function readNamed(text: string, months: Map<string, number>): Found | undefined {
  for (const [pattern, year, month, day] of [
    [DAY_MONTH, 3, 2, 1],
    [MONTH_DAY, 3, 1, 2],
    [YEAR_MONTH_DAY, 1, 2, 3],
  ] as const) {
    for (const match of text.matchAll(pattern)) {
      const number = months.get((match[month] ?? '').toLowerCase());
      if (number === undefined) continue;
      return found(text, match, { year: Number(match[year]), month: number, day: Number(match[day]) });
    }
  }
  return undefined;
}

/** Current Unix times have ten digits in seconds and thirteen in milliseconds. */
function readTimestamp(text: string): DateParts | undefined {
  if (!/^(?:\d{10}|\d{13})$/.test(text)) return undefined;
  const date = new Date(Number(text) * (text.length === 10 ? 1000 : 1));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    offsetMinutes: 0,
  };
}

function withTime({ parts, before, after }: Found): DateParts {
  if (parts.hour !== undefined) return parts;
  const time = readTime(after.slice(0, 60));
  return { ...parts, ...(time.hour === undefined ? readTimeBefore(before.slice(-60)) : time) };
}

export type DateReader = (text: string) => Reading<string>;

export interface DateOptions {
  kind: 'date' | 'datetime';
  locale?: string | undefined;
  format?: string | undefined;
}

/**
 * Reads a whole date (day, month and year) anywhere in the text. It never guesses: words like "yesterday" and ambiguous
 * dates are invalid. With a `format`, only that format is accepted.
 */
export function createDateReader({ kind, locale, format }: DateOptions): DateReader {
  const monthFirst = isMonthFirst(locale);
  let months: Map<string, number> | undefined;
  const monthsOf = (): Map<string, number> => (months ??= monthNames(locale));
  const readFormat = format === undefined ? undefined : createFormatReader(format, monthsOf);
  const write = kind === 'date' ? formatDate : formatDatetime;

  return (raw) => {
    const text = toAsciiDigits(raw).trim();
    if (text === '') return ABSENT;
    const name = kind === 'date' ? 'a date' : 'a date and time';
    if (readFormat !== undefined) {
      const parts = readFormat(text);
      if (parts === undefined || !isRealDate(parts))
        return invalidReading(raw, `is not written as ${format}`);
      return valueReading(write(parts));
    }
    if (text.length > 1_000) return invalidReading(raw, `is not ${name}`);
    const stamp = readTimestamp(text);
    if (stamp !== undefined) return valueReading(write(stamp));
    const outcome = readIso(text) ?? readNamed(text, monthsOf()) ?? readNumeric(text, monthFirst);
    if (outcome === undefined) return invalidReading(raw, `is not ${name}`);
    if ('reason' in outcome) return invalidReading(raw, outcome.reason);
    const parts = kind === 'date' ? outcome.parts : withTime(outcome);
    if (kind === 'datetime' && parts.unknownZone !== undefined) {
      return invalidReading(raw, `has a time zone that is not known for sure (${parts.unknownZone})`);
    }
    return isRealDate(parts)
      ? valueReading(write(parts))
      : invalidReading(raw, 'is not a day of the calendar');
  };
}
