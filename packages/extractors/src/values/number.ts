import { currencyAfter, currencyBefore, isPerMeasure } from './currencies.ts';
import { toAsciiDigits } from './digits.ts';
import { multiplierPower } from './multipliers.ts';
import { isPercentage, joinCents, namesRate } from './number-text.ts';
import { ABSENT, invalidReading, quote, valueReading, type Reading } from './reading.ts';

const FRACTIONS = new Map([
  ['¼', 1 / 4],
  ['½', 1 / 2],
  ['¾', 3 / 4],
  ['⅐', 1 / 7],
  ['⅑', 1 / 9],
  ['⅒', 1 / 10],
  ['⅓', 1 / 3],
  ['⅔', 2 / 3],
  ['⅕', 1 / 5],
  ['⅖', 2 / 5],
  ['⅗', 3 / 5],
  ['⅘', 4 / 5],
  ['⅙', 1 / 6],
  ['⅚', 5 / 6],
  ['⅛', 1 / 8],
  ['⅜', 3 / 8],
  ['⅝', 5 / 8],
  ['⅞', 7 / 8],
]);

const FRACTION_CLASS = `[${[...FRACTIONS.keys()].join('')}]`;

/** Grouped by spaces; digits with separators; a bare decimal; a lone fraction. A dot after a letter is no decimal point. */
const TOKEN = new RegExp(
  `(?:\\d{1,3}(?: \\d{3})+(?![\\d])(?:[.,]\\d+)?|\\d[\\d.,'’_]*\\d|\\d|(?<![\\p{L}\\d.,])\\.[\\d.,]*\\d)(?: ?${FRACTION_CLASS})?|${FRACTION_CLASS}`,
  'gu',
);

function onlyGroups(parts: readonly string[]): boolean {
  return (
    parts.length > 1 &&
    (parts[0]?.length ?? 0) >= 1 &&
    (parts[0]?.length ?? 0) <= 3 &&
    parts.at(-1)?.length === 3 &&
    parts.slice(1).every((part) => part.length === 3 || part.length === 2)
  );
}

/** What one separator before three digits is. `unknown`: nothing says it. */
type ThreeDigits = 'group' | 'decimal' | 'unknown';

interface Digits {
  /** Digits with one `.` as the decimal point. */
  text: string;
  isAmbiguous: boolean;
}

/** @param ask what the separator before three digits is; undefined for separators that are invalid (1.2.3) */
function normalise(token: string, ask: (separator: '.' | ',') => ThreeDigits): Digits | undefined {
  const text = token.replaceAll(/[ '’_]/g, '');
  const dots = text.split('.').length - 1;
  const commas = text.split(',').length - 1;
  if (dots === 0 && commas === 0) return { text, isAmbiguous: false };
  if (dots > 0 && commas > 0) {
    const decimal = text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ',';
    const group = decimal === '.' ? ',' : '.';
    const [whole = '', fraction = '', ...rest] = text.split(decimal);
    if (rest.length > 0 || fraction.includes(group) || !onlyGroups(whole.split(group))) return undefined;
    return { text: `${whole.replaceAll(group, '')}.${fraction}`, isAmbiguous: false };
  }
  const separator = dots > 0 ? '.' : ',';
  const parts = text.split(separator);
  if (parts.length > 2) return onlyGroups(parts) ? { text: parts.join(''), isAmbiguous: false } : undefined;
  const [whole = '', fraction = ''] = parts;
  const couldGroup =
    fraction.length === 3 && whole.length >= 1 && whole.length <= 3 && !whole.startsWith('0');
  if (!couldGroup) return { text: `${whole}.${fraction}`, isAmbiguous: false };
  const said = ask(separator);
  // Where nothing says it, a comma groups and a dot doesn't.
  const groups = said === 'unknown' ? separator === ',' : said === 'group';
  return { text: groups ? whole + fraction : `${whole}.${fraction}`, isAmbiguous: said === 'unknown' };
}

/** Only a number in parentheses, optionally with a currency: `(1,234)`, `($5.00)`, `(5 USD)`, `(1.2M)`. */
const ACCOUNTING =
  /^\s*\(\s*(?:(?:\p{Sc}|[A-Z]{3}|[A-Z]{1,2}\$|Rs\.?|kr\.?|zł)\s*)?[\d.,'’_ ]*\d[kKMB]?(?:,-)?(?:\s*(?:%|\p{Sc}|[A-Z]{3}|kr\.?|zł))?\s*\)\s*$/u;

/** Characters around a number that can hold its sign and currency. */
const NEAR = 200;

/** Whether a sign directly before the number, or parentheses around the whole text, make it negative. */
function isNegative(text: string, allBefore: string, after: string): boolean {
  if (text.length <= NEAR && ACCOUNTING.test(text)) return true;
  // The first character stands for all that is left out.
  const before = allBefore.length > NEAR ? `x${allBefore.slice(-NEAR)}` : allBefore;
  const lead = before.replace(/\s*(?:\p{Sc}|\b[A-Z]{3}|R\$|Rs\.?|kr\.?)\s*$/u, '');
  if (/(?:^|[\s(:\p{Sc}])-\s?$/u.test(lead) || /(?:^|[\s(:\p{Sc}])-$/u.test(before)) return true;
  if (/^\s*–\s?$/.test(lead)) return true;
  return /^-(?:\s*\p{Sc})?\s*$/u.test(after);
}

function readToken(
  token: string,
  ask: (separator: '.' | ',') => ThreeDigits,
): { value: number; isAmbiguous: boolean } | undefined {
  const fractionSign = token.at(-1) ?? '';
  const fraction = FRACTIONS.get(fractionSign);
  const digits = fraction === undefined ? token : token.slice(0, -fractionSign.length).trim();
  if (digits === '') return fraction === undefined ? undefined : { value: fraction, isAmbiguous: false };
  const normal = normalise(digits, ask);
  return normal && { value: Number(normal.text) + (fraction ?? 0), isAmbiguous: normal.isAmbiguous };
}

/** The decimal separator of the locale, from the runtime's tables; undefined for a language that they don't have. */
function decimalOf(locale: string): string | undefined {
  const [known] = Intl.NumberFormat.supportedLocalesOf(locale);
  if (known === undefined) return undefined;
  const parts = new Intl.NumberFormat(known, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

/** The token to read: the first number that is neither part of a name (X100) nor a percentage beside other numbers. */
function chooseToken(text: string): RegExpExecArray | undefined {
  const numbers = [...text.matchAll(TOKEN)];
  const isNamed = ({ index }: RegExpExecArray): boolean =>
    /\p{L}$/u.test(text.slice(Math.max(0, index - 2), index)) &&
    currencyBefore(text.slice(Math.max(0, index - 12), index)) === undefined;
  const plain = numbers.filter(
    ({ 0: { length }, index }) => !isPercentage(text.slice(index + length, index + length + 12)),
  );
  return plain.find((match) => !isNamed(match)) ?? plain[0] ?? (namesRate(text) ? undefined : numbers[0]);
}

/**
 * Reads one text.
 * @param language the language of the page, for texts that people read; a locale of the field comes first
 */
export type NumberReader = (text: string, language?: string) => Reading<number>;

/**
 * Reads the first number of a text with its sign and multiplier, and ignores currency, units and words around it. What one
 * separator before three digits is (`1.234`), the locale says; without one the currency beside it, which has cents and no
 * thousandths, then the language of the page. What stays ambiguous is marked.
 */
export function createNumberReader(locale?: string): NumberReader {
  const decimal = locale === undefined ? undefined : (decimalOf(locale.replaceAll('_', '-')) ?? '.');
  /** The last language and its decimal separator: the texts of a page have one. */
  let known: { language: string; decimal: string | undefined } | undefined;
  const spokenBy = (language: string): string | undefined => {
    if (known?.language !== language) {
      // A page can name anything.
      const [, code, region] = /^([a-z]{2,3})(?:[-_]([a-z]{2}))?(?![a-z\d])/i.exec(language) ?? [];
      const tag = region === undefined ? code : `${code}-${region}`;
      known = { language, decimal: tag === undefined ? undefined : decimalOf(tag) };
    }
    return known.decimal;
  };
  return (raw, language) => {
    const text = joinCents(toAsciiDigits(raw).trim());
    if (text === '') return ABSENT;
    const match = chooseToken(text);
    if (match === undefined) return invalidReading(raw, 'is not a number');
    const before = text.slice(0, match.index);
    // `1.299,-` and `1.299,–`: no cents.
    const rest = text.slice(match.index + match[0].length);
    const noCents = /^[.,](?:-{1,2}|[–—])(?!\d)/.exec(rest)?.[0];
    let after = noCents === undefined ? rest : rest.slice(noCents.length);
    const ask = (separator: '.' | ','): ThreeDigits => {
      if (decimal !== undefined) return separator === decimal ? 'decimal' : 'group';
      // The separator before the dash is the decimal one, so any before three digits groups.
      if (noCents !== undefined) return 'group';
      const currency = currencyAfter(after) ?? currencyBefore(before);
      if (currency === 'cents' && !isPerMeasure(after)) return 'group';
      const spoken = currency === undefined && language !== undefined ? spokenBy(language) : undefined;
      if (spoken === '.' || spoken === ',') return separator === spoken ? 'decimal' : 'group';
      return currency === undefined ? 'unknown' : 'decimal';
    };
    const amount = readToken(match[0], ask);
    if (amount === undefined) return invalidReading(raw, 'is not a number');
    const exponent = /^[eE]([+-]?\d{1,3})(?![\p{L}\d])/u.exec(after);
    if (exponent) after = after.slice(exponent[0].length);
    const power = exponent ? Number(exponent[1]) : multiplierPower(after);
    const scaled = power === 0 ? amount.value : Number(`${amount.value}e${power}`);
    const value = Number.isFinite(scaled) ? scaled : amount.value * 10 ** power;
    if (!Number.isFinite(value)) return invalidReading(raw, 'is too large for a number');
    const signed = isNegative(text, before, after) ? -value : value;
    return amount.isAmbiguous ? { ...valueReading(signed), note: ambiguous(raw) } : valueReading(signed);
  };
}

function ambiguous(raw: string): string {
  return `${quote(raw)} is ambiguous: a locale on the field says what its separator is`;
}

export function readInteger(raw: string, read: () => Reading<number>): Reading<number> {
  const reading = read();
  if (reading.state !== 'value') return reading;
  const { value } = reading;
  if (!Number.isInteger(value)) return invalidReading(raw, 'is not a whole number');
  if (!Number.isSafeInteger(value)) return invalidReading(raw, 'is too large to be exact');
  return reading;
}
