import type { Column } from './column.ts';
import { isOfOtherCalendar } from './calendars.ts';
import { createFormatReader } from './date-format.ts';
import { formatDate, formatDatetime, isRealDate, type DateParts } from './date-parts.ts';
import { toAsciiDigits } from './digits.ts';
import { isMonthFirst, isYearFirst, knownLanguage, perLanguage } from './languages.ts';
import { monthsIn } from './month-names.ts';
import { hasLeftTime } from './tables/left-times.ts';
import { ABSENT, invalidReading, say, valueReading, type Reading } from './reading.ts';
import { hasOtherDay } from './other-days.ts';
import { readRelative, type RelativeTime } from './relative-time.ts';
import {
  readIso,
  readNamed,
  readOpen,
  readOrdered,
  readTimestamp,
  unknownZone,
  withTime,
  type FoundDate,
  type OpenDate,
} from './written-date.ts';

/** Where the text of a date comes from. */
export interface DateContext {
  /** The language of the page, for texts that people read; a locale of the field comes first. */
  language?: string | undefined;
  /** When the page was fetched, from which `3 hours ago` counts; ISO 8601. */
  fetchedAt?: string | undefined;
  /** The other values of the same list and field. */
  column?: Column | undefined;
  /** The text must be relative as a whole: a slogan says `today` at each fetch. */
  isByline?: boolean;
}

export type DateReader = (text: string, context?: DateContext) => Reading<string>;

export interface DateOptions {
  kind: 'date' | 'datetime';
  locale?: string | undefined;
  format?: string | undefined;
}

const DAY_SECONDS = 86_400;

const yearFirstIn = perLanguage(isYearFirst);

type Order = 'day' | 'month';
type Outcome =
  | { found: FoundDate; note?: string; unitSeconds?: number }
  | Exclude<Reading<never>, { state: 'value' }>;

const ORDERLESS = 'is ambiguous between day and month; give locale or format';

function orderIn(language: string | undefined): Order | undefined {
  const monthFirst = isMonthFirst(language);
  return monthFirst === undefined ? undefined : monthFirst ? 'month' : 'day';
}

/**
 * Settles an all-number date by the locale, the date itself, the language, and the other values of its list. These must
 * not contradict the language.
 */
function settleOrder(raw: string, date: OpenDate, locale: Order | undefined, context: DateContext): Outcome {
  if (locale !== undefined) return { found: date.in(locale) };
  const { column } = context;
  const spoken = orderIn(knownLanguage(context.language));
  let order = date.proven ?? spoken;
  if (date.proven !== undefined) column?.proven.add(date.proven);
  else if (date.first !== date.second) {
    column?.implied.add(spoken ?? 'open');
    if (column?.settled !== undefined && spoken !== undefined && column.settled !== spoken)
      return {
        state: 'absent',
        reason: say(
          raw,
          'could be two days, and the other values of its list are written otherwise: give locale or format',
        ),
      };
    order ??= column?.settled === 'day' || column?.settled === 'month' ? column.settled : undefined;
    if (order === undefined) return invalidReading(raw, ORDERLESS);
  }
  // In `08/17/14` only the last number can be a year.
  const isCertain = date.proven === 'month' || spoken !== undefined || column?.settled !== undefined;
  if (date.hasShortYear && !isCertain)
    return invalidReading(raw, 'has a two-digit year; give locale or format');
  return { found: date.in(order ?? 'day') };
}

const BYLINE = new Set(
  ' posted published updated added written veröffentlicht aktualisiert publié publicado pubblicato geplaatst opublikowano опубликовано'.split(
    ' ',
  ),
);

/** Whether more than a byline's own words stands around a relative time. */
function isSentence({ before, after }: RelativeTime): boolean {
  return (
    !BYLINE.has(
      before
        .replaceAll(/[^\p{L}]+/gu, ' ')
        .trim()
        .toLowerCase(),
    ) || !/^(?:[^\p{L}]|(?<!\p{L})(?:at|um|à|a las|às|alle|om|kl|uhr|am|pm|в|о)(?!\p{L}))*$/iu.test(after)
  );
}

function partsOf(at: Date): DateParts {
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    millisecond: at.getUTCMilliseconds(),
    offsetMinutes: 0,
  };
}

function writtenDate(text: string, language: string | undefined): FoundDate | undefined {
  return readIso(text) ?? readNamed(text, monthsIn(language)) ?? readOrdered(text, yearFirstIn(language));
}

/** Whether another day stands beside a date. */
function namesOtherDay(found: FoundDate, text: string, language: string | undefined): boolean {
  const { names } = monthsIn(language);
  return hasOtherDay(
    found,
    text,
    (word) => names.has(word.toLowerCase()),
    (side) => {
      const other = writtenDate(side, language);
      if (other !== undefined) return [other];
      const open = readOpen(side);
      return open === undefined ? [] : [open.in('day'), open.in('month')];
    },
  );
}

/**
 * Reads a whole date (day, month and year) anywhere in the text, or a time relative to the fetch of the page. It never
 * guesses: a date that locale, language and the other values of its list leave ambiguous is invalid. With a `format`, only
 * that format is accepted.
 */
export function createDateReader({ kind, locale, format }: DateOptions): DateReader {
  const tag = locale?.replaceAll('_', '-');
  const order = orderIn(tag === 'en' ? 'en-US' : tag);
  const readFormat = format === undefined ? undefined : createFormatReader(format, () => monthsIn(tag));
  const writeParts = kind === 'date' ? formatDate : formatDatetime;
  const write = (parts: DateParts): string | undefined => (isRealDate(parts) ? writeParts(parts) : undefined);
  const name = kind === 'date' ? 'a date' : 'a date and time';

  const relative = (
    text: string,
    raw: string,
    language: string | undefined,
    { fetchedAt, isByline }: DateContext,
  ): Outcome => {
    const at = readRelative(text, language, new Date(fetchedAt ?? 0));
    if (
      at === undefined ||
      (isByline === true && (isSentence(at) || at.at.getTime() > Date.parse(fetchedAt ?? '')))
    )
      return invalidReading(raw, `is not ${name}`);
    if (fetchedAt === undefined)
      return invalidReading(raw, 'counts from the time of fetching, which is not known');
    const { year, month, day, ...time } = partsOf(at.at);
    const parts = {
      year,
      month,
      day,
      ...(at.hasTime ? { ...time, ...(at.hasSeconds ? {} : { second: 0 }), millisecond: 0 } : {}),
    };
    return {
      found: { parts, before: at.before, after: at.after },
      note: say(raw, 'counts from the time of fetching'),
      unitSeconds: kind === 'date' ? Math.max(at.unitSeconds, DAY_SECONDS) : at.unitSeconds,
    };
  };

  const find = (text: string, raw: string, context: DateContext): Outcome => {
    const stamp = readTimestamp(text);
    if (stamp !== undefined) return { found: { parts: partsOf(stamp), before: '', after: '' } };
    const language = tag ?? knownLanguage(context.language);
    const found = writtenDate(text, language);
    if (found !== undefined) return { found };
    const open = readOpen(text);
    if (open !== undefined) return settleOrder(raw, open, order, context);
    return relative(text, raw, language, context);
  };

  return (raw, context = {}) => {
    const text = toAsciiDigits(raw).trim();
    if (text === '') return ABSENT;
    if (readFormat !== undefined) {
      const parts = readFormat(text);
      const written = parts === undefined ? undefined : write(parts);
      return written === undefined
        ? invalidReading(raw, `is not written as ${format}`)
        : valueReading(written);
    }
    if (text.length > 1_000) return invalidReading(raw, `is not ${name}`);
    const outcome = find(text, raw, context);
    if (!('found' in outcome)) return outcome;
    const language = tag ?? knownLanguage(context.language);
    if (outcome.unitSeconds === undefined && isOfOtherCalendar(outcome.found, text, language))
      return invalidReading(raw, 'has a year that may be of another calendar or era');
    if (outcome.unitSeconds === undefined && namesOtherDay(outcome.found, text, language))
      return invalidReading(raw, 'names several days');
    const parts = kind === 'date' ? outcome.found.parts : withTime(outcome.found);
    const isLeft = parts.hour === undefined && hasLeftTime(outcome.found.before, outcome.found.after);
    if (kind === 'datetime' && (isLeft || parts.isUnclear === true))
      return invalidReading(raw, 'has a time of day that is not understood');
    const zone = kind === 'datetime' ? unknownZone(parts, outcome.found) : undefined;
    if (zone !== undefined)
      return invalidReading(raw, `has a time zone that is not known for sure (${zone})`);
    const written = write(parts);
    if (written === undefined) return invalidReading(raw, 'is not a day of the calendar');
    const { note, unitSeconds } = outcome;
    return { ...valueReading(written, note), ...(unitSeconds === undefined ? {} : { unitSeconds }) };
  };
}
