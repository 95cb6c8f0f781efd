import { currencyOf, findAmount, type Amount, isFree, isPercentage } from './amount.ts';
import type { Column } from './column.ts';
import { currencyBefore, decimalsOf, hundredthsAfter, isPerMeasure, type Currency } from './currencies.ts';
import { toAsciiDigits } from './digits.ts';
import { knownLanguage, perLanguage } from './languages.ts';
import { lowerCents } from './number-zones.ts';
import { endsWithMinus } from './quantities.ts';
import { ABSENT, invalidReading, say, valueReading, type Reading } from './reading.ts';
import { readDigits, type ReadDigits, type Role, type Separator } from './separators.ts';

/** Only a number in parentheses, optionally with a currency: `(1,234)`, `($5.00)`, `(5 USD)`, `(1.2M)`. */
const ACCOUNTING =
  /^\s*\(\s*(?:(?:\p{Sc}|[A-Z]{3}|[A-Z]{1,2}\$|Rs\.?|kr\.?|zł)\s*)?[\d.,'_ ]*\d[kKMB]?(?:,-)?(?:\s*(?:%|\p{Sc}|[A-Z]{3}|kr\.?|zł))?\s*\)\s*$/u;

/** Characters around a number that can hold its sign and currency. */
const NEAR = 200;

/** Whether a sign directly before the number, or parentheses around the whole text, make it negative. */
function isNegative(
  text: string,
  { before: allBefore, after }: Amount,
  language: string | undefined,
): boolean {
  if (text.length <= NEAR && ACCOUNTING.test(text)) return true;
  // The first character stands for all that is left out.
  const before = allBefore.length > NEAR ? `x${allBefore.slice(-NEAR)}` : allBefore;
  if (endsWithMinus(before, language)) return true;
  const lead = before.replace(/\s*(?:\p{Sc}|\b[A-Z]{3}|R\$|Rs\.?|kr\.?)\s*$/u, '');
  if (/(?:^|[\s(:\p{Sc}])-\s?$/u.test(lead) || /(?:^|[\s(:\p{Sc}])-$/u.test(before)) return true;
  if (/^\s*–\s?$/.test(lead)) return true;
  return /^-(?:\s*\p{Sc})?\s*$/u.test(after);
}

/** The decimal separator of the locale, from the runtime's tables; undefined for a language that they don't have. */
function decimalOf(locale: string): string | undefined {
  const [known] = Intl.NumberFormat.supportedLocalesOf(locale);
  if (known === undefined) return undefined;
  const parts = new Intl.NumberFormat(known, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

/** The decimal separators of languages, as pages name them. */
const decimalIn = perLanguage((language) => {
  const known = knownLanguage(language);
  return known === undefined ? undefined : decimalOf(known);
});

function roleOf(separator: Separator, decimal: string | undefined): Role {
  return decimal === '.' || decimal === ',' ? (separator === decimal ? 'decimal' : 'group') : undefined;
}

/** What a currency says of three digits after a separator; undefined when it says nothing. */
function roleBeside(separator: Separator, currency: Currency | undefined, after: string): Role {
  if (currency === undefined) return undefined;
  const decimals = decimalsOf(currency);
  if (decimals !== 'mils') return isPerMeasure(after) ? 'decimal' : 'group';
  // Tunisia writes a comma, the other currencies with thousandths a point.
  return separator === '.' || currency[0] === 'TND' ? 'decimal' : 'group';
}

/** Where the text of a number comes from. */
export interface NumberContext {
  /** The language of the page, for texts that people read; a locale of the field comes first. */
  language?: string | undefined;
  /** The notation of attributes and data: a point is the decimal one. */
  isData?: boolean;
  /** The other values of the same list and field. */
  column?: Column | undefined;
}

/** A number, and what its text says beside it. */
export interface FoundNumber {
  value: number;
  currency: Currency | undefined;
  /** The number is a percentage. */
  isRate?: boolean;
  /** The currency of which it counts hundredths: `99¢`. */
  hundredths?: Currency | undefined;
}

export type Reader<T> = (text: string, context?: NumberContext) => Reading<T>;

const CONTRARY =
  'could be two numbers, and the other values of its list are written otherwise: give a locale';
const AMBIGUOUS = 'is ambiguous: a locale on the field says what its separator is';

/** Why the column makes an open reading uncertain, or the note of one that nothing settles. */
function judge(digits: ReadDigits, { column }: NumberContext): { contrary?: true; isAmbiguous?: true } {
  if (digits.decimal === undefined) return {};
  if (digits.isOpen === undefined) {
    column?.proven.add(digits.decimal);
    return {};
  }
  column?.implied.add(digits.decimal);
  if (column?.settled === undefined) return digits.isUnknown === undefined ? {} : { isAmbiguous: true };
  return column.settled === digits.decimal ? {} : { contrary: true };
}

function scale(value: number, power: number): number {
  if (power === 0) return value;
  const scaled = Number(`${value}e${power}`);
  return Number.isFinite(scaled) ? scaled : value * 10 ** power;
}

/**
 * Reads the number that a text is about with its sign, multiplier and currency. What one separator before three digits is
 * (`1.234`), the locale says; without one the currency beside it, which has cents and no thousandths, then the language of
 * the page; else it groups. One that nothing settles is marked. When the other values of the list prove the contrary, the
 * number is absent with the reason: the same text never becomes another number beside other values.
 */
export function createAmountReader(locale?: string): Reader<FoundNumber> {
  const decimal = locale === undefined ? undefined : (decimalOf(locale.replaceAll('_', '-')) ?? '.');
  const tag = locale?.replaceAll('_', '-');
  return (raw, context = {}) => {
    const text = lowerCents(
      toAsciiDigits(raw)
        .trim()
        .replaceAll(/[^\S\n]+/g, ' '),
    );
    if (text === '') return ABSENT;
    const spoken = knownLanguage(tag) ?? knownLanguage(context.language);
    const amount = findAmount(text, spoken);
    if (amount === undefined && isFree(text)) return valueReading({ value: 0, currency: undefined });
    if (amount === undefined) return invalidReading(raw, 'is not a number');
    if (amount.fault !== undefined) return invalidReading(raw, amount.fault);
    const currency = currencyOf(amount);
    const { language, isData = false } = context;
    const isSaid = decimal !== undefined || amount.hasNoCents || decimalsOf(currency ?? []) === 'none';
    const digits = readDigits(
      amount.exact === undefined ? amount.digits : '0',
      (separator) => {
        // `1.234e3` is how programs write numbers, in all languages.
        if (amount.scale.hasExponent && separator === '.') return 'decimal';
        if (decimal !== undefined) return roleOf(separator, decimal);
        // The separator before the dash is the decimal one, so any before three digits groups.
        if (amount.hasNoCents) return 'group';
        if (amount.scale.hasExponent) return 'decimal';
        return (
          roleBeside(separator, currency, amount.after) ??
          (language === undefined ? undefined : roleOf(separator, decimalIn(language)))
        );
      },
      isData,
    );
    if (digits === undefined) return invalidReading(raw, 'is not a number');
    const { contrary, isAmbiguous } = isSaid && digits.isOpen ? {} : judge(digits, context);
    if (contrary) return { state: 'absent', reason: say(raw, CONTRARY) };
    const size = scale((amount.exact ?? Number(digits.text)) + amount.fraction, amount.scale.power);
    if (!Number.isFinite(size)) return invalidReading(raw, 'is too large for a number');
    const value = isNegative(text, amount, spoken) ? -size : size;
    const isRate = isPercentage(amount.after);
    const lead = currencyBefore(amount.before);
    const hasHundredths = !amount.isTotal && (lead === undefined || lead[0] === '-');
    const hundredths = hasHundredths ? hundredthsAfter(amount.after, spoken) : undefined;
    return valueReading(
      { value, currency, isRate, hundredths },
      isAmbiguous ? say(raw, AMBIGUOUS) : undefined,
    );
  };
}

/** Reads a number, and ignores its currency. */
export function createNumberReader(locale?: string): Reader<number> {
  const read = createAmountReader(locale);
  return (text, context) => {
    const reading = read(text, context);
    return reading.state === 'value' ? valueReading(reading.value.value, reading.note) : reading;
  };
}

export function readInteger(raw: string, read: () => Reading<number>): Reading<number> {
  const reading = read();
  if (reading.state !== 'value') return reading;
  const { value } = reading;
  if (!Number.isInteger(value)) return invalidReading(raw, 'is not a whole number');
  if (!Number.isSafeInteger(value)) return invalidReading(raw, 'is too large to be exact');
  return reading;
}
