import type { FoundDate } from './written-date.ts';

/** Years of the other calendar that pages in a language write dates in, and whether they write them with two digits. */
const OTHERS: readonly (readonly [languages: string, first: number, last: number, isShort: boolean])[] = [
  ['fa ps', 1250, 1520, true],
  ['ar-SA', 1250, 1520, true],
  ['ar ur ckb ku sd ug dv ks', 1250, 1520, false],
  ['th lo', 2400, 2700, true],
  ['km my', 2400, 2700, false],
  ['he yi', 5000, 6100, false],
  ['ne mai', 2057, 2157, true],
  ['bn as', 1300, 1500, false],
];

/** Eras of other calendars and before Christ, right before a date: `令和08.03.03`, `民國115.03.03`, `农历2026年3月3日`. */
const MARK_BEFORE =
  /(?:令和|平成|昭和|大正|明治|民[國国]|檀紀|단기|佛[曆历]|[農农][曆历]|[陰阴][曆历]|[旧舊][暦曆历]|回[曆历]|음력|불기|公元前|[紀纪]元前|기원전|reiwa|heisei|sh[oō]wa|hijri|พ\.?ศ\.?|ฮ\.?ศ\.?)\s?[:：]?\s?$/iu;
/** `H30.1.1`: the first letter of an era of Japan. */
const LETTER_BEFORE = /(?<![\p{L}\d])[RHSTM]\.?\s?$/iu;
/** The same right after a date: `14-09-1447 هـ`, `15. März 1044 v. Chr.` */
const MARK_AFTER =
  /^\s?[([]?(?:هـ|[ھه](?!\p{L})|هجري|ق\.\s?م|Hijri|Saka|พ\.?ศ|v\.\s?(?:Chr|u\.\s?Z)|av\.?\s?J|a\.\s?C\.|до\s?(?:н\.|Р\.)|[np]\.\s?n\.\s?e|п\.\s?н\.\s?е|př\.\s?n|f\.\s?Kr|eKr|î\.\s?Hr|i\.\s?e\.\s?n)/u;
/** `1447 AH`, `2569 BE`, `1044 BC`; beside a year of today the letters mean something else. */
const LETTERS_AFTER = /^\s?[([]?(?:A\.?H|H|S\.?H|A\.?P|B\.?E|B\.?S|B\.?C|B\.?C\.?E)(?![\p{L}\d])/u;

/** Whether the year of a date may count in another calendar or era than ours. Nothing of them is converted. */
export function isOfOtherCalendar(
  { parts, before, after }: FoundDate,
  text: string,
  language: string | undefined,
): boolean {
  const isShort = !/\d{4}/.test(text);
  if (MARK_BEFORE.test(before) || (isShort && LETTER_BEFORE.test(before)) || MARK_AFTER.test(after))
    return true;
  if ((parts.year < 1600 || parts.year > 2050) && LETTERS_AFTER.test(after)) return true;
  if (language === undefined) return false;
  const [main = ''] = language.split('-');
  return OTHERS.some(([languages, first, last, hasShort]) => {
    const isSpoken = languages.split(' ').some((one) => one === main || one === language);
    return isSpoken && ((isShort && hasShort) || (parts.year >= first && parts.year <= last));
  });
}
