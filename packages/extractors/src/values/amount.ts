import { currencyAfter, currencyBefore, currencyBeside, type Currency } from './currencies.ts';
import { readScale, type Scale } from './multipliers.ts';
import { endsWithMinus, findQuantities, SHARED, UNCLEAR_SCALE, type Quantity } from './quantities.ts';

/** Words beside a percentage that say it is a discount or a tax rate, which is no value of its own. */
const RATE =
  /(?<!\p{L})(?:off|discount|saved?|savings?|sale|rabatt?|nachlass|sparen|gespart|remise|réduction|descuento|dto|ahorra|desconto|sconto|korting|zniżka|sleva|скидка|indirim|vat|mwst|ust|tva|iva|btw|moms|dph|ндс|gst|tax|φπα|ptu)(?!\p{L})/iu;

/** Whether a text that holds percentages only speaks of a discount or a tax: `40% OFF`, `incl. 20 % VAT`. */
function namesRate(text: string): boolean {
  return RATE.test(text);
}

/** Whether the text after a number makes it a percentage. */
export function isPercentage(after: string): boolean {
  return /^\s?(?:%|percent\b|prozent\b)/iu.test(after.slice(0, 12));
}

const FREE =
  /^[^\p{L}]*(?:free|for free|free of charge|gratis|gratuite?|gratuito|grátis|kostenlos|kostenfrei|umsonst|za darmo|bezpłatn[yie]+|darmow[ye]|zdarma|zadarmo|bezplatne|ingyenes|ingyen|ilmainen|maksuton|gratuită?|безплатно|бесплатно|безкоштовно|besplatno|brezplačno|ücretsiz|bedava|δωρεάν|tasuta|bezmaksas|nemokamai|無料|免费|免費|무료|مجاني|مجانا|مجاناً|رایگان|חינם|मुफ़्त|ฟรี|miễn phí)[^\p{L}]*$/iu;

/** Whether the text says that something costs nothing, and no more: `Free!`, `Gratis`. */
export function isFree(text: string): boolean {
  return text.length <= 40 && FREE.test(text);
}

/** The number of a text that is read, and what stands around it with its multiplier. */
export interface Amount {
  digits: string;
  /** The value where no separator of the digits is in question: `1万2,800`, `1 1/2`, `3 euro 50 cent`. */
  exact?: number | undefined;
  /** The value of a sign such as `½` after the digits, or alone. */
  fraction: number;
  before: string;
  after: string;
  /** What multiplies the digits. */
  scale: Scale;
  /** The text says that there are no cents: `1.299,-`. */
  hasNoCents: boolean;
  /** The digits are of two units: `12 руб 50 коп`. */
  isTotal?: true | undefined;
  /** Why the text is no one number. */
  fault?: string | undefined;
}

/** Unicode decomposes `½` into `1⁄2`. */
const FRACTIONS = new Map(
  Array.from('¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞', (sign): [string, number] => {
    const [part = 0, whole = 1] = sign.normalize('NFKD').split('⁄').map(Number);
    return [sign, part / whole];
  }),
);
const FRACTION = new RegExp(`^ ?([${[...FRACTIONS.keys()].join('')}])`);

/** A date or a time of day is no number: `12/31/2024`, `2024-12-31`, `10:30`. */
const CALENDAR = /(?<![\d.,])(?:\d{1,4}([/-])\d{1,2}\1\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?)(?![\d-])/g;

const AROUND = 24;

/** What multiplies a sign such as `½`: `2½ million`. */
function countFraction(
  before: string,
  after: string,
  language: string | undefined,
): Pick<Amount, 'after' | 'scale' | 'fault'> {
  const scale = readScale(after, before.slice(-AROUND), language);
  return { scale, after: after.slice(scale.length), fault: scale.isUnclear ? UNCLEAR_SCALE : undefined };
}

function findFraction(text: string, language: string | undefined): Amount | undefined {
  for (const [sign, fraction] of FRACTIONS) {
    const at = text.indexOf(sign);
    if (at === -1) continue;
    const before = text.slice(0, at);
    const counted = countFraction(before, text.slice(at + 1), language);
    return { digits: '0', fraction, before, hasNoCents: false, ...counted };
  }
  return undefined;
}

/**
 * The number that a text is about: the first with a currency, or the first of several that share one; else the first that
 * is neither part of a name (X100) nor a percentage beside other numbers.
 */
function choose(text: string, language: string | undefined): Quantity | undefined {
  const calendar = [...text.matchAll(CALENDAR)].map(
    ({ 0: { length }, index }) => [index, index + length] as const,
  );
  const numbers = findQuantities(text, language).filter(
    ({ start, end }) => !calendar.some(([from, to]) => start >= from && end <= to),
  );
  const beforeOf = ({ start }: Quantity): string => text.slice(Math.max(0, start - AROUND), start);
  const afterOf = ({ end, until = end }: Quantity): string => text.slice(until, until + AROUND);
  const hasSign = (number: Quantity): boolean => currencyBefore(beforeOf(number)) !== undefined;
  const plain = numbers.filter((number) => !isPercentage(afterOf(number)) && !beforeOf(number).endsWith('%'));
  const priced = plain.findIndex((number) => hasSign(number) || currencyAfter(afterOf(number)) !== undefined);
  const first = plain.findLastIndex((number, at) => {
    const previous = plain[at - 1];
    if (at > priced) return false;
    return previous === undefined || hasSign(number) || !SHARED.test(text.slice(previous.end, number.start));
  });
  if (priced !== -1) return plain[first];
  const isNamed = (number: Quantity): boolean =>
    /\p{L}$/u.test(beforeOf(number)) && !endsWithMinus(beforeOf(number), language) && number.lead !== true;
  return plain.find((number) => !isNamed(number)) ?? plain[0] ?? (namesRate(text) ? undefined : numbers[0]);
}

/** The amount of a text, whose digits and spaces are ASCII; undefined when it has none. */
export function findAmount(text: string, language?: string): Amount | undefined {
  const number = choose(text, language);
  if (number === undefined) return findFraction(text, language);
  const { digits, exact, scale, fault } = number;
  const before = text.slice(0, number.start);
  const rest = text.slice(number.end);
  // `1.299,-` and `1.299,–`: no cents.
  const dash = /^[.,:](?:-{1,2}|[–—])(?!\d)/.exec(rest)?.[0] ?? '';
  const after = rest.slice(dash.length);
  const sign = FRACTION.exec(after);
  const fraction = FRACTIONS.get(sign?.[1] ?? '') ?? 0;
  const isCounted = sign !== null && scale.length === 0 && fault === undefined;
  const counted = isCounted ? countFraction(before, after.slice(sign[0].length), language) : undefined;
  return {
    digits,
    exact,
    fraction,
    before,
    after: number.until === undefined ? after : text.slice(number.until),
    scale,
    hasNoCents: dash !== '',
    isTotal: number.isTotal,
    fault,
    ...counted,
  };
}

/** The codes that the currency beside an amount can mean; undefined when it has none. */
export function currencyOf({ before, after }: Amount): Currency | undefined {
  return currencyBeside(before.slice(-AROUND), after);
}
