import type { DateParts } from './date-parts.ts';
import { LINK } from './ranges.ts';
import type { FoundDate } from './written-date.ts';

const WORD = String.raw`(\p{L}[\p{L}\p{M}]+)`;
const WEEKDAY = String.raw`(?:\p{L}{2,10}\.?,?\s)?`;
/** A day before the link before a date: `3 – `, `March 3 to `, `3. März bis `, `03.03.-`. */
const DAY_BEFORE = new RegExp(
  String.raw`(?<![\d:.,])(?:${WORD}\.?\s)?(\d{1,2}\.\s?\d{1,2}\.|\d{1,2}\/\d{1,2}|\d{1,2}(?:\.|st|nd|rd|th|er|º|ª)?)(?:\s(?:d[eo]\s|of\s)?${WORD}\.?)?(\s?(?:${LINK}|/)\s?)${WEEKDAY}$`,
  'iu',
);
/** A day after the link after a date: of the same month where the date ends with its day, or with a month's name. */
const DAY_AFTER = new RegExp(
  String.raw`^\.?\s?(?:${LINK}|/)\s?(?:\d{1,2}\s?[月월./-]\s?)?\d{1,2}(?:\s?[日일号號]|\sd\.|\.?(?!\s?[\p{L}\d:%]))`,
  'iu',
);
const MONTH_AFTER = new RegExp(
  String.raw`^\s?${LINK}\s?${WEEKDAY}(?:\d{1,2}(?:\.|st|nd|rd|th|er|º)?\s(?:d[eo]\s)?${WORD}|${WORD}\.?\s\d{1,2}(?!\d))`,
  'iu',
);

function isOtherDay(a: DateParts, b: DateParts): boolean {
  return a.year !== b.year || a.month !== b.month || a.day !== b.day;
}

function hasDayBefore({ parts, before }: FoundDate, isMonth: (word: string) => boolean): boolean {
  const match = DAY_BEFORE.exec(before.slice(-40));
  if (match === null) return false;
  const [, first, number = '', last, link = ''] = match;
  if (/[./]\s?\d/.test(number) || [first, last].some((word) => word !== undefined && isMonth(word)))
    return true;
  const day = Number.parseInt(number, 10);
  // `5 comments – `, and `Chapter 5 – 3 March 2026`.
  return last === undefined && day <= 31 && (day < parts.day || !/^\s.*\s$/.test(link));
}

/**
 * Whether a text names a second day beside a date: then it doesn't say which of both it means.
 * @param datesIn what a whole date in a text may be
 */
export function hasOtherDay(
  found: FoundDate,
  text: string,
  isMonth: (word: string) => boolean,
  datesIn: (text: string) => readonly FoundDate[],
): boolean {
  const { parts, before, after } = found;
  if (hasDayBefore(found, isMonth)) return true;
  const endsWithYear = /\d{4}\D{0,3}$/.test(text.slice(0, text.length - after.length));
  if (!endsWithYear && DAY_AFTER.test(after)) return true;
  const month = MONTH_AFTER.exec(after);
  if (month !== null && isMonth(month[1] ?? month[2] ?? '')) return true;
  return [before, after].some((side) => {
    const others = /\d{4}/.test(side) ? datesIn(side) : [];
    return others.length > 0 && others.every((other) => isOtherDay(parts, other.parts));
  });
}
