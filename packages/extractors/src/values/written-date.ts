import { monthBegunBy, type Months } from './month-names.ts';
import { ZONE_ANYWHERE } from './tables/zone-words.ts';
import { fullYear, readTime, readTimeBefore, type DateParts } from './date-parts.ts';

const ISO =
  /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z(?![A-Za-z])|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?/;
const YEAR_FIRST = /(?<!\d)(\d{4})([/.])\s?(\d{1,2})\2\s?(\d{1,2})(?!\d)/;
const EAST_ASIAN = /(?<!\d)(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]?/;
const DOTTED = /(?<!\d)(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?(\d{4}|\d{2})(?!\d)/;
/** `02 04 2009`, and nothing else. */
const SPACED = /^(\d{1,2})( )(\d{1,2}) (\d{4})$/;
const SLASHED = /(?<!\d)(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;

/** A year; of two digits after an apostrophe or a dash, or at the end of the text. */
const YEAR = String.raw`(\d{4}|['’]\d{2}|(?<=-)\d{2}|\d{2}(?=\s*$|\s+\d{1,2}:\d{2}))(?![\d:.,]\d)(?!\d)`;
const NAME = String.raw`([\p{L}\p{M}׳]{2,})`;
/** `3. März 2026`, `3 de marzo de 2026`, `3rd March, 2026`, `3 ta’ Marzu 2026` */
const DAY_MONTH = new RegExp(
  String.raw`(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª|e)?[\s/-]*(?:de\s+|of\s+|d['’]|ta['’]\s*)?${NAME}\.?,?[\s/-]*(?:(?:de|del|of|van|von|in)\s+)?${YEAR}`,
  'giu',
);
/** `March 3, 2026`, `Mar. 3rd 2026`, `marzo 3 de 2026` */
const MONTH_DAY = new RegExp(
  String.raw`(?<![\p{L}\p{M}])${NAME}\.?[\s-]*(\d{1,2})(?:st|nd|rd|th)?\s?(?:,|\s|-)\s*(?:(?:de|del|of)\s+)?(\d{4}|['’]\d{2})(?!\d)`,
  'giu',
);
/** `2026. március 3.`, `2026 March 3`, `2026 m. kovo 3 d.` */
const YEAR_MONTH_DAY = new RegExp(
  String.raw`(?<!\d)(\d{4})\.?,?[\s/-]+(?:m\.\s*)?${NAME}\.?[\s/-]+(\d{1,2})(?!\d)`,
  'giu',
);
/** `2026. gada 3. marts` */
const YEAR_DAY_MONTH = new RegExp(String.raw`(?<!\d)(\d{4})\. gada (\d{1,2})\. ${NAME}`, 'giu');

/** The year after the time, as C writes it: `Wed Aug 05 12:00:00 2015`, `26 okt 15:50:06 2016`. */
const YEAR_LAST =
  /(?<![\p{L}\p{M}\d])(?:([\p{L}\p{M}]{2,})\.?\s+(\d{1,2})|(\d{1,2})\s+(?:de\s+)?([\p{L}\p{M}]{2,})\.?),?\s+(\d{1,2}:\d{2}(?::\d{2})?)(\s+[A-Z]{2,5}|\s+[+-]\d{4})?\s+(\d{4})(?![\d:])/u;

/** The text with the year before the time. */
function withYearFirst(text: string): string {
  return text.replace(
    YEAR_LAST,
    (
      _,
      name: string | undefined,
      day: string | undefined,
      first: string,
      second: string,
      time: string,
      zone: string | undefined,
      year: string,
    ) => `${day ?? first} ${name ?? second} ${year} ${time}${zone ?? ''}`,
  );
}

/** A date in a text, and the text around it. */
export interface FoundDate {
  parts: DateParts;
  before: string;
  after: string;
}

function found(text: string, match: RegExpExecArray | RegExpMatchArray, parts: DateParts): FoundDate {
  return {
    parts,
    before: text.slice(0, match.index),
    after: text.slice((match.index ?? 0) + match[0].length),
  };
}

/** An all-number date whose order hangs on the place: the first and second number. */
export interface OpenDate {
  first: number;
  second: number;
  /** What the numbers prove: above 12 there is no month. */
  proven: 'day' | 'month' | undefined;
  hasShortYear: boolean;
  /** @param order what the first number is */
  in(order: 'day' | 'month'): FoundDate;
}

/** Years of two digits that are first, as some languages write them: `24.05.12`. */
const SHORT_YEAR_FIRST = /(?<![\d.])(\d{2})([./-])\s?(\d{1,2})\2\s?(\d{1,2})(?![\d])(?!\2)/;

/**
 * Dates of numbers whose order is the same everywhere.
 * @param isYearFirst whether the language writes the year first
 */
export function readOrdered(text: string, isYearFirst: boolean): FoundDate | undefined {
  const year = YEAR_FIRST.exec(text);
  if (year) return found(text, year, { year: Number(year[1]), month: Number(year[3]), day: Number(year[4]) });
  const east = EAST_ASIAN.exec(text);
  if (east) return found(text, east, { year: Number(east[1]), month: Number(east[2]), day: Number(east[3]) });
  const short = isYearFirst ? SHORT_YEAR_FIRST.exec(text) : null;
  // Of `12.05.98` the last is the year.
  if (short && Number(short[4]) <= 31)
    return found(text, short, {
      year: fullYear(short[1] ?? ''),
      month: Number(short[3]),
      day: Number(short[4]),
    });
  const dotted = DOTTED.exec(text);
  if (!dotted) return undefined;
  return found(text, dotted, {
    year: fullYear(dotted[3] ?? ''),
    month: Number(dotted[2]),
    day: Number(dotted[1]),
  });
}

/** `03/04/2026`, `03-04-26` */
export function readOpen(text: string): OpenDate | undefined {
  const match = SLASHED.exec(text) ?? SPACED.exec(text);
  if (!match) return undefined;
  const [, one, , two, year = ''] = match;
  const [first, second] = [Number(one), Number(two)];
  return {
    first,
    second,
    proven: first > 12 ? 'day' : second > 12 ? 'month' : undefined,
    hasShortYear: year.length === 2,
    in: (order) => {
      const [month, day] = order === 'month' ? [first, second] : [second, first];
      return found(text, match, { year: fullYear(year), month, day });
    },
  };
}

export function readIso(text: string): FoundDate | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [whole, year, month, day, hour] = match;
  const parts: DateParts = { year: Number(year), month: Number(month), day: Number(day) };
  if (hour === undefined) return found(text, match, parts);
  // The text around the time matters too: `T10:00`, `5:30 PM`, `10:00 UTC`.
  const start = match.index + whole.indexOf(':') - hour.length - 1;
  return found(text, match, { ...parts, ...readTime(text.slice(start, start + 60)) });
}

export function readNamed(written: string, months: Months): FoundDate | undefined {
  const { names, spaced } = months;
  let text = withYearFirst(written).replaceAll('\u093C', '').normalize('NFC').replaceAll('،', ',');
  for (const name of spaced) {
    const at = text.toLowerCase().indexOf(name);
    if (at !== -1) text = text.slice(0, at) + name.replaceAll(' ', '') + text.slice(at + name.length);
  }
  for (const [pattern, year, month, day] of [
    [DAY_MONTH, 3, 2, 1],
    [MONTH_DAY, 3, 1, 2],
    [YEAR_MONTH_DAY, 1, 2, 3],
    [YEAR_DAY_MONTH, 1, 3, 2],
  ] as const) {
    for (const match of text.matchAll(pattern)) {
      const word = (match[month] ?? '').toLowerCase().replaceAll('׳', '');
      const number = names.get(word) ?? monthBegunBy(word, months);
      if (number === undefined) continue;
      return found(text, match, {
        year: fullYear(match[year] ?? ''),
        month: number,
        day: Number(match[day]),
      });
    }
  }
  return undefined;
}

/** Current Unix times have ten digits in seconds and thirteen in milliseconds. */
export function readTimestamp(text: string): Date | undefined {
  return /^(?:\d{10}|\d{13})$/.test(text)
    ? new Date(Number(text) * (text.length === 10 ? 1000 : 1))
    : undefined;
}

/** The date with the time after it, or right before it. */
export function withTime({ parts, before, after }: FoundDate): DateParts {
  if (parts.hour !== undefined) return parts;
  const time = readTime(after.slice(0, 60));
  return { ...parts, ...(time.hour === undefined ? readTimeBefore(before.slice(-60)) : time) };
}

/** The zone of a time that is not understood, wherever it stands beside it. */
export function unknownZone(parts: DateParts, { before, after }: FoundDate): string | undefined {
  if (parts.hour === undefined || parts.offsetMinutes !== undefined || parts.place !== undefined)
    return undefined;
  return parts.unknownZone ?? ZONE_ANYWHERE.exec(`${before.slice(-60)} ${after.slice(0, 60)}`)?.[0];
}
