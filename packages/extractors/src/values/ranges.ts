import type { DateParts } from './date-parts.ts';
import type { FoundDate } from './written-date.ts';

/** What stands between two days, times or counts: `3–5 March`, `10:00 bis 11:30`, `3 y 4 de marzo`. */
const LINK = String.raw`(?:[-–—~〜～&至]|から|到|부터|(?<!\p{L})(?:to|till|until|through|thru|and|or|bis|und|oder|au|et|ou|al?|à|às|as|até|alle?|y|e|o|do|i|lub|до|по|и|или|та|і|tot|t\/m|en|of|til|och|og|eller|až|ve|ile|και|έως|până|la|și|līdz|iki|kuni|és)(?!\p{L}))`;
const CLOCK_UNIT = String.raw`(?:\s?[ap]\.?m\.?|\s?uhr|\s?h|[時时点點시])`;

const TIME_BEFORE = new RegExp(
  String.raw`(?<!\d)\d{1,2}(?:[:.h]\d{2})?${CLOCK_UNIT}?\s?${LINK}\s?(?:l[ae]s?\s)?$`,
  'iu',
);
const TIME_AFTER = new RegExp(
  String.raw`^\s{0,2}(?:uhr\s)?(?:${LINK}\s?(?:l[ae]s?\s)?|,\s?(?=\d{1,2}:\d))\d{1,2}(?:[:.h]\d{2}|${CLOCK_UNIT}(?!\p{L})|\s?$)`,
  'iu',
);

/** Whether another time is linked to one, in the text before it or after it. */
export function isLinkedTime(before: string, after: string): boolean {
  return TIME_BEFORE.test(before.slice(-30)) || TIME_AFTER.test(after);
}

/** Whether the number before a count is linked to it: `2-` and `2 to` before `3 days ago`, `1/` before `2 hours ago`. */
export function endsWithLinkedNumber(before: string): boolean {
  return COUNT_BEFORE.test(before.slice(-20));
}

const COUNT_BEFORE = new RegExp(String.raw`\d\s?(?:${LINK}|[/、])\s?$`, 'iu');

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
 * Whether a text names another day beside a date, of which nobody knows which one is meant.
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
