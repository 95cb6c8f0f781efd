import { toAsciiDigits } from './digits.ts';
import { multiplierPower } from './multipliers.ts';
import { ABSENT, invalidReading, valueReading, type Reading } from './reading.ts';

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

/** Grouped by spaces; digits with separators; a bare decimal; a lone fraction. */
const TOKEN = new RegExp(
  `(?:\\d{1,3}(?: \\d{3})+(?![\\d])(?:[.,]\\d+)?|\\d[\\d.,'’_]*\\d|\\d|(?<![\\d.,])\\.\\d+)(?: ?${FRACTION_CLASS})?|${FRACTION_CLASS}`,
  'gu',
);

interface Separators {
  decimal: string;
}

function onlyGroups(parts: readonly string[]): boolean {
  return (
    parts.length > 1 &&
    (parts[0]?.length ?? 0) >= 1 &&
    (parts[0]?.length ?? 0) <= 3 &&
    parts.at(-1)?.length === 3 &&
    parts.slice(1).every((part) => part.length === 3 || part.length === 2)
  );
}

/** Digits with one `.` as the decimal point; undefined when the separators are invalid (1.2.3). */
function normalise(token: string, separators: Separators | undefined): string | undefined {
  const text = token.replaceAll(/[ '’_]/g, '');
  const dots = text.split('.').length - 1;
  const commas = text.split(',').length - 1;
  if (dots === 0 && commas === 0) return text;
  if (dots > 0 && commas > 0) {
    const decimal = text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ',';
    const group = decimal === '.' ? ',' : '.';
    const [whole = '', fraction = '', ...rest] = text.split(decimal);
    if (rest.length > 0 || fraction.includes(group) || !onlyGroups(whole.split(group))) return undefined;
    return `${whole.replaceAll(group, '')}.${fraction}`;
  }
  const separator = dots > 0 ? '.' : ',';
  const parts = text.split(separator);
  if (parts.length > 2) return onlyGroups(parts) ? parts.join('') : undefined;
  const [whole = '', fraction = ''] = parts;
  const couldGroup =
    fraction.length === 3 && whole.length >= 1 && whole.length <= 3 && !whole.startsWith('0');
  // One separator before three digits is ambiguous. The locale decides; without one, a comma groups and a dot doesn't.
  const groups =
    couldGroup && (separators === undefined ? separator === ',' : separator !== separators.decimal);
  return groups ? whole + fraction : `${whole}.${fraction}`;
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

function readToken(token: string, separators: Separators | undefined): number | undefined {
  const fractionSign = token.at(-1) ?? '';
  const fraction = FRACTIONS.get(fractionSign);
  const digits = fraction === undefined ? token : token.slice(0, -fractionSign.length).trim();
  if (digits === '') return fraction;
  const normal = normalise(digits, separators);
  if (normal === undefined) return undefined;
  return Number(normal) + (fraction ?? 0);
}

/** The decimal separator of the locale, from the runtime's tables. */
function separatorsOf(locale: string | undefined): Separators | undefined {
  if (locale === undefined) return undefined;
  const parts = new Intl.NumberFormat(locale.replaceAll('_', '-'), { numberingSystem: 'latn' }).formatToParts(
    1.5,
  );
  return { decimal: parts.find(({ type }) => type === 'decimal')?.value ?? '.' };
}

export type NumberReader = (text: string) => Reading<number>;

/**
 * Reads the first number of a text with its sign and multiplier, and ignores currency, units and words around it. The
 * locale decides which separator is the decimal one when that is ambiguous (`1.234`).
 */
export function createNumberReader(locale?: string): NumberReader {
  const separators = separatorsOf(locale);
  return (raw) => {
    const text = toAsciiDigits(raw).trim();
    if (text === '') return ABSENT;
    const matches = [...text.matchAll(TOKEN)];
    // A number directly after letters (X100) is read only when there is no other.
    const match =
      matches.find(({ index }) => !/\p{L}$/u.test(text.slice(Math.max(0, index - 2), index))) ?? matches[0];
    if (match === undefined) return invalidReading(raw, 'is not a number');
    const before = text.slice(0, match.index);
    // `1.299,-` and `1.299,–`: no cents.
    const rest = text.slice(match.index + match[0].length);
    const noCents = /^[.,](?:-{1,2}|[–—])(?!\d)/.exec(rest)?.[0];
    let after = noCents === undefined ? rest : rest.slice(noCents.length);
    // The separator before the dash is the decimal one, so the other one, or any before three digits, groups.
    const isGrouped = noCents !== undefined && onlyGroups(match[0].split(/[.,]/));
    const amount = readToken(isGrouped ? match[0].replaceAll(/[.,]/g, '') : match[0], separators);
    if (amount === undefined) return invalidReading(raw, 'is not a number');
    const exponent = /^[eE]([+-]?\d{1,3})(?![\p{L}\d])/u.exec(after);
    if (exponent) after = after.slice(exponent[0].length);
    const power = exponent ? Number(exponent[1]) : multiplierPower(after);
    const scaled = power === 0 ? amount : Number(`${amount}e${power}`);
    const value = Number.isFinite(scaled) ? scaled : amount * 10 ** power;
    if (!Number.isFinite(value)) return invalidReading(raw, 'is too large for a number');
    return valueReading(isNegative(text, before, after) ? -value : value);
  };
}

export function readInteger(raw: string, read: NumberReader): Reading<number> {
  const reading = read(raw);
  if (reading.state !== 'value') return reading;
  const { value } = reading;
  if (!Number.isInteger(value)) return invalidReading(raw, 'is not a whole number');
  if (!Number.isSafeInteger(value)) return invalidReading(raw, 'is too large to be exact');
  return reading;
}
