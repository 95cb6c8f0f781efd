import { toStorableTime } from '@gleaner/contracts/text';
import { plainTimes } from './tables/day-halves.ts';
import { LEFT_FRACTION } from './tables/left-times.ts';
import { isLinkedTime } from './ranges.ts';
import { offsetAt, readZone, type ZoneParts } from './zones.ts';

/** The parts of a written date; `offsetMinutes` is undefined without a zone. */
export interface DateParts extends ZoneParts {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  /** Its time has something that may be the half of its day. */
  isUnclear?: boolean;
}

/** The year of two digits is between 1969 and 2068. */
export function fullYear(text: string): number {
  const year = Number(text.replace(/^['’]/, ''));
  return text.length > 3 ? year : year + (year < 69 ? 2000 : 1900);
}

export function isRealDate(parts: DateParts): boolean {
  return (
    parts.year >= 1 &&
    parts.year <= 9999 &&
    parts.month >= 1 &&
    parts.month <= 12 &&
    parts.day >= 1 &&
    parts.day <= new Date(Date.UTC(parts.year, parts.month, 0)).getUTCDate() &&
    (parts.hour ?? 0) <= 24 &&
    (parts.minute ?? 0) <= 59 &&
    (parts.second ?? 0) <= 60
  );
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** `2026-03-03`: the written day, regardless of the zone. */
export function formatDate({ year, month, day }: DateParts): string {
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** `2026-03-03T09:30:00.000Z`. A time without a zone is read as UTC. Undefined: its zone puts it outside the years 1 to 9999. */
export function formatDatetime(parts: DateParts): string | undefined {
  const { year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0, place } = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, Math.min(second, 59), millisecond);
  const offset = parts.offsetMinutes ?? (place === undefined ? 0 : offsetAt(place, date.getTime()));
  return toStorableTime(new Date(date.getTime() - offset * 60_000));
}

const TIME =
  /(?<![\d:.])(\d{1,2})(?::|h|\.(?=\d{2}(?!\d))| Uhr ?)(\d{2}(?!\d|:\d(?!\d)))?(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\b\.?)?/gi;

const HOUR_ONLY = /\b(\d{1,2})\s*([ap])\.?\s?m\b\.?/gi;

/** The hour of a day with two halves, of which the second begins with a P. */
export function clock(hour: number, half: string | undefined): number {
  return half === undefined || hour > 12 ? hour : (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

interface FoundTime {
  parts: Partial<DateParts>;
  end: number;
}

/** Whether the time is one end of a range: `10:00-11:30`. In `10:00-05:00` the second part is an offset. */
function isLinked(text: string, match: RegExpExecArray, time: Partial<DateParts>, rest: string): boolean {
  const [offset, hours, minutes] = /^\s?-(\d{2}):?(\d{2})(?!\d)/.exec(rest) ?? [];
  if (offset === undefined) return isLinkedTime(text.slice(0, match.index), rest);
  const isExact = time.second !== undefined || text[match.index - 1] === 'T';
  return !isExact && Number(hours) * 60 + Number(minutes) > (time.hour ?? 0) * 60 + (time.minute ?? 0);
}

function withZone(text: string, match: RegExpExecArray, time: Partial<DateParts>): FoundTime {
  const end = match.index + match[0].length;
  const rest = text.slice(end);
  const zone = readZone(rest);
  // `7.45pmBy Ann`: the half of the day may be there.
  const isOther =
    isLinked(text, match, time, rest) || (zone.length > 0 && isLinkedTime('', rest.slice(zone.length)));
  const isUnclear = isOther || /^[ap]\.?m/i.test(rest) || LEFT_FRACTION.test(rest) ? { isUnclear: true } : {};
  return { parts: { ...time, ...zone.parts, ...isUnclear }, end: end + zone.length };
}

function timeOf(text: string, match: RegExpExecArray): FoundTime | undefined {
  const [whole, hour, minute, second, fraction, half] = match;
  if (minute === undefined && half === undefined && !/uhr/i.test(whole)) return undefined;
  return withZone(text, match, {
    hour: clock(Number(hour), half),
    minute: Number(minute ?? 0),
    ...(second === undefined ? {} : { second: Number(second) }),
    ...(fraction === undefined ? {} : { millisecond: Number(fraction.padEnd(3, '0').slice(0, 3)) }),
  });
}

const TIMES = [
  [TIME, timeOf],
  [
    HOUR_ONLY,
    (text: string, match: RegExpExecArray) =>
      withZone(text, match, { hour: clock(Number(match[1]), match[2]), minute: 0 }),
  ],
] as const;

/** The time of day in the text after a date; {} when there is none. */
export function readTime(written: string): Partial<DateParts> {
  const text = plainTimes(written);
  for (const [pattern, read] of TIMES) {
    const [first] = text.matchAll(pattern);
    const time = first && read(text, first);
    if (time !== undefined) return time.parts;
  }
  return {};
}

/** The text between a time and its date: `10:30 AM on Tuesday, `. */
const BETWEEN =
  /^\)?[\s,;|·•–—-]*(?:Uhr\b[\s,]*)?(?:(?:on|am|le|el|il|em|op|den|of)\s+)?(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+|\p{L}{2,14},\s+)?(?:the\s+)?$/iu;

/** The time of day right before a date; {} when there is none. */
export function readTimeBefore(written: string): Partial<DateParts> {
  const text = plainTimes(written);
  for (const [pattern, read] of TIMES) {
    const last = [...text.matchAll(pattern)].at(-1);
    const time = last && read(text, last);
    if (time !== undefined && BETWEEN.test(text.slice(time.end))) return time.parts;
  }
  return {};
}
