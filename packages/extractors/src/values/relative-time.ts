import { endsWithTerm, readDistance, startsWithTerm, type TimeDistance } from './distance.ts';
import { agreedByAll, perLanguage } from './languages.ts';
import { endsWithLinkedNumber } from './ranges.ts';
import { isWithinWord, leavesPart } from './relative-rest.ts';
import { UNITS, type Unit } from './tables/distance-words.ts';

/** How far a phrase is from now: `vor # Tagen` is a number of days back, `gestern` exactly one. */
interface Distance {
  unit: Unit;
  sign: 1 | -1;
  /** Undefined where the phrase has a number. */
  count: number | undefined;
}

/** Numbers for which languages use different forms. */
const COUNTS = [1, 2, 3, 5, 11, 21, 100];

/** What pages write beside the runtime's phrases: a number of a unit from now. */
const MORE: Readonly<Record<string, readonly (readonly [string, Unit, number])[]>> = {
  en: [
    ['just now', 'second', 0],
    ['moments ago', 'second', 0],
    ['a moment ago', 'second', 0],
    ['the day before yesterday', 'day', -2],
    ['day before yesterday', 'day', -2],
    ['the day after tomorrow', 'day', 2],
    ['day after tomorrow', 'day', 2],
  ],
  ko: [
    ['금일', 'day', 0],
    ['작일', 'day', -1],
    ['명일', 'day', 1],
  ],
  sv: [
    ['förrgår', 'day', -2],
    ['i förrgår', 'day', -2],
    ['igår', 'day', -1],
    ['idag', 'day', 0],
    ['imorgon', 'day', 1],
  ],
  ru: [
    ['послепослезавтра', 'day', 3],
    ['позапозавчера', 'day', -3],
  ],
  da: [['igår', 'day', -1]],
};

/** Too short to mean a time in a text: `# h`. */
const SHORTEST = /^[#\d\s]*[\p{Script=Latin}\p{Script=Cyrillic}]{0,2}$/u;

/** Words for one: `an hour ago`, `vor einem Tag`, `il y a une heure`. */
const ONE =
  /(?<!\p{L})(?:an?|one|einem|einer|ein|eine|une?|una|uno|um|uma|een|ett?|en|jedn[aąyou]+|один|одну|одна)\s/giu;

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/['’׳״\u200E\u200F]|(?<!\d)\.|\.(?!\d)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function isSame(a: Distance, b: Distance): boolean {
  return a.unit === b.unit && a.sign === b.sign && a.count === b.count;
}

type Phrases = Map<string, Distance>;

/** The phrases of a language for distances in time, from the runtime's tables, with `#` for their number. */
function phrasesOf(language: string): Phrases {
  const phrases: Phrases = new Map();
  const add = (phrase: string, distance: Distance): void => {
    const key = plain(phrase);
    // `-3 h` could be anything.
    if (/^[-−+]/.test(key) || SHORTEST.test(key) || phrases.has(key)) return;
    phrases.set(key, distance);
  };
  for (const style of ['long', 'short', 'narrow'] as const) {
    const words = new Intl.RelativeTimeFormat(language, { style, numeric: 'auto' });
    for (const days of [-2, -1, 0, 1, 2]) {
      const phrase = words.format(days, 'day');
      if (!/\d/.test(phrase)) add(phrase, { unit: 'day', sign: days < 0 ? -1 : 1, count: Math.abs(days) });
    }
    for (const unit of ['week', 'month', 'year'] as const) {
      for (const sign of [-1, 1] as const) {
        const phrase = words.format(sign, unit);
        if (!/\d/.test(phrase)) add(phrase, { unit, sign, count: 1 });
      }
    }
    const format = new Intl.RelativeTimeFormat(language, { style });
    for (const unit of UNITS) {
      for (const sign of [-1, 1] as const) {
        for (const count of COUNTS) {
          const parts = format.formatToParts(sign * count, unit);
          const isNumbered = parts.some(({ type }) => type === 'integer');
          const phrase = parts.map(({ type, value }) => (type === 'integer' ? '#' : value)).join('');
          add(phrase, { unit, sign, count: isNumbered ? undefined : count });
        }
      }
    }
  }
  for (const [phrase, unit, count] of MORE[language.split('-')[0] ?? ''] ?? [])
    add(phrase, { unit, sign: count > 0 ? 1 : -1, count: Math.abs(count) });
  return phrases;
}

/** Scripts that write words without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function isWordAt(text: string, at: number, phrase: string): boolean {
  const end = at + phrase.length;
  const [before = '', after = ''] = [text[at - 1], text[end]];
  const isCut = (outside: string, inside: string): boolean =>
    /[\p{L}\p{M}\d]/u.test(outside) && !UNSPACED.test(inside) && /[\p{L}\p{M}\d#]/u.test(inside);
  return !isCut(before, phrase[0] ?? '') && !isCut(after, phrase.at(-1) ?? '');
}

interface Found {
  distance: Distance;
  count: number;
  before: string;
  after: string;
  length: number;
}

function findIn(text: string, phrases: Phrases, isNamed: boolean): Found | undefined {
  const numbers = [...text.matchAll(/\d+/g)];
  const forms = [
    { form: text, count: undefined as number | undefined },
    ...numbers.map(({ 0: digits, index }) => ({
      form: `${text.slice(0, index)}#${text.slice(index + digits.length)}`,
      count: Number(digits),
    })),
  ];
  let best: Found | undefined;
  for (const { form, count } of forms) {
    for (const [phrase, distance] of phrases) {
      const steps = distance.count ?? count;
      if (steps === undefined || phrase.length <= (best?.length ?? 0)) continue;
      const at = form.indexOf(phrase);
      if (at === -1 || !isWordAt(form, at, phrase)) continue;
      const [before, after] = [form.slice(0, at), form.slice(at + phrase.length)];
      if (isWithinWord(before, after, phrase)) continue;
      // In an unknown language a word must be the whole text, but for a time: `hier` is German for “here”.
      if (!isNamed && distance.count !== undefined && /\p{L}{3}/u.test(before + after)) continue;
      best = { distance, count: steps, before, after, length: phrase.length };
    }
  }
  return best;
}

const DAY_MS = 86_400_000;
const LENGTH_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS } as const;

function moved(from: Date, { unit, sign }: Distance, count: number): Date {
  if (unit !== 'month' && unit !== 'year') return new Date(from.getTime() + sign * count * LENGTH_MS[unit]);
  const months = from.getUTCMonth() + sign * count * (unit === 'year' ? 12 : 1);
  const last = new Date(Date.UTC(from.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const day = Date.UTC(from.getUTCFullYear(), months, Math.min(from.getUTCDate(), last));
  return new Date(day + (from.getTime() % DAY_MS));
}

export interface RelativeTime {
  at: Date;
  /** The phrase names a time of day: `3 hours ago`, not `yesterday`. */
  hasTime: boolean;
  /** It counts seconds. */
  hasSeconds: boolean;
  /** The length of its smallest unit. */
  unitSeconds: number;
  before: string;
  after: string;
}

/** Longer texts are prose. */
const MOST = 80;

const knownPhrases = perLanguage((language): Phrases => {
  const english = phrasesOf('en');
  return language === undefined ? english : new Map([...english, ...phrasesOf(language)]);
});

let common: Phrases | undefined;

function isTimeUnit(unit: Unit): boolean {
  return UNITS.indexOf(unit) < UNITS.indexOf('day');
}

/** The longest that a month and a year are. */
const LONGEST_MS = { ...LENGTH_MS, month: 31 * DAY_MS, year: 366 * DAY_MS } as const satisfies Record<
  Unit,
  number
>;

function smallestOf(units: readonly Unit[]): number {
  return Math.min(...units.map((unit) => LONGEST_MS[unit])) / 1_000;
}

/** The time at a distance of several units, the large ones first; undefined for a part of a month. */
function movedBy(from: Date, { terms, sign }: TimeDistance): RelativeTime | undefined {
  let at = from;
  for (const { count, unit } of terms.toSorted((a, b) => UNITS.indexOf(b.unit) - UNITS.indexOf(a.unit))) {
    if (!Number.isInteger(count) && (unit === 'month' || unit === 'year')) return undefined;
    at = moved(at, { unit, sign, count: undefined }, count);
  }
  if (Number.isNaN(at.getTime())) return undefined;
  const isPartOfDay = terms.some(({ count, unit }) => isTimeUnit(unit) || !Number.isInteger(count));
  return {
    at,
    hasTime: isPartOfDay,
    hasSeconds: terms.some(({ unit }) => unit === 'second'),
    unitSeconds: smallestOf(terms.map(({ unit }) => unit)),
    before: '',
    after: '',
  };
}

/** Words that may stand beside a relative day in a field: `Posted yesterday at 10:30`. */
const MOST_WORDS = 2;
/** The word for tomorrow is the morning's after these: `11:00 de la mañana`, `Guten Morgen`. */
const MORNING = /(?:\b(?:la|esta|por|da|de|pela|guten|heute|am|vom)\s|\d\s?)$/u;

/** Whether a phrase without a number stands in a text that is no time. */
function isInSentence({ before, after, distance }: Found): boolean {
  if (distance.count === undefined) return false;
  const words = `${before} ${after}`.match(/[\p{L}\p{M}]{3,}/gu) ?? [];
  return words.length > MOST_WORDS || (distance.sign === 1 && MORNING.test(before));
}

/**
 * Reads times such as `3 hours ago`, `1 hr 20 min ago` and `vor 2 Tagen`, in a language or else in all.
 * @param from the time from which it counts
 */
export function readRelative(
  written: string,
  language: string | undefined,
  from: Date,
): RelativeTime | undefined {
  if (written.length > MOST) return undefined;
  const distance = readDistance(written, language);
  if (distance !== undefined) return movedBy(from, distance);
  const text = plain(written).replaceAll(/\b(sec|min|hr|wk|mo|yr)s\b/g, '$1');
  const findAs = (one: string): Found | undefined =>
    findIn(one, knownPhrases(language), language !== undefined) ??
    findIn(one, (common ??= agreedByAll(phrasesOf, isSame)), false);
  const find = (one: string): Found | undefined => {
    const numbered = one.replaceAll(ONE, '1 ');
    return findAs(one) ?? (numbered === one ? undefined : findAs(numbered));
  };
  const found = find(text);
  if (found === undefined || isInSentence(found)) return undefined;
  const { distance: one, count, before, after } = found;
  const isCounted = one.count === undefined;
  // Another one: `yesterday or today`, `a week ago yesterday`.
  const others = [before, after].map((side) => (/\p{L}{2}/u.test(side) ? find(side) : undefined));
  if (others.some((other) => other !== undefined && !(isSame(other.distance, one) && other.count === count)))
    return undefined;
  if (leavesPart(found, { unit: one.unit, isCounted }, language)) return undefined;
  // The rest of a distance that is not understood whole.
  if (
    isCounted &&
    (endsWithTerm(before.replace(/(?<=\p{L})[-–—~]$/u, ''), language) ||
      startsWithTerm(after, language) ||
      endsWithLinkedNumber(before))
  )
    return undefined;
  const at = moved(from, one, count);
  if (Number.isNaN(at.getTime())) return undefined;
  const unitSeconds = smallestOf([one.unit]);
  return { at, hasTime: isTimeUnit(one.unit), hasSeconds: one.unit === 'second', unitSeconds, before, after };
}
