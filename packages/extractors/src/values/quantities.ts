import { currencyAfter, currencyBefore } from './currencies.ts';
import { readEastAsian } from './east-asian.ts';
import { readScale, type Scale } from './multipliers.ts';
import { findNumbers, type WrittenNumber } from './number-zones.ts';
import { readDigits } from './separators.ts';

/** A number with all that counts it: units of East Asia, a multiplier, a fraction. */
export interface Quantity extends WrittenNumber {
  /** The value where the digits alone are not it. */
  exact?: number;
  scale: Scale;
  /** Where the range that it begins ends, before the words that count both: `1–2 million €`. */
  until?: number;
  /** A unit without digits begins it: `천 4백만`. */
  lead?: true;
}

export const NO_SCALE: Scale = { power: 0, length: 0 };

const AROUND = 24;

/** Words for a minus before a number. */
const MINUS =
  /(?:(?<![\p{L}\p{M}\d])(?:minus|moins|menos|meno|eksi|минус|мінус|minus|miinus|mínusz|μείον|ऋण|माइनस|سالب|ناقص|มืนัส|ลบ|âm)\s|(?:マイナス|마이너스|零下|영하|负|負)\s?)(?:\p{Sc}\s?)?$/iu;

/** Whether the text before a number ends with a word for minus. */
export function endsWithMinus(before: string, language: string | undefined): boolean {
  if (!/[\p{L}\p{M}]\s?(?:\p{Sc}\s?)?$/u.test(before)) return false;
  if (MINUS.test(before.slice(-AROUND))) return true;
  // In other languages a minimum or a minute.
  return language?.startsWith('nl') === true && /^\s*min\s$/i.test(before);
}

const UNITS_OR_TWO = 'is a sum of several units';
/** A smaller unit after the number: `5 ft 2 in`, `2h 30m`. */
const SUM =
  /^\s?(?:(?:ft|feet|foot|fuß|fuss|pies|voet|['′’])\s?\d{1,2}(?:[.,]\d+)?\s?(?:in|inch|inches|zoll|pulg\p{L}*|duim|["″”])|(?:lbs?|pounds?|st)\s\d{1,2}\s?(?:oz|lbs?|ounces?)|(?:h|hrs?|hours?|std|stunden?|ore|uur|heures?|horas?|timer|ч|時間|小时|小時|시간)\.?\s?\d{1,2}\s?(?:m|mins?|minut\p{L}*|мин|分|분)|(?:m|mins?|minut\p{L}*|мин|分|분)\.?\s?\d{1,2}\s?(?:s|secs?|seconds?|sek\p{L}*|сек|秒|초)|h\s?\d{2}|m\s\d{1,2}\s?cm|kg\s\d{1,3}\s?g)(?![\p{L}\d])/iu;
/** Smaller money after the currency, without a word that is read: `5元3角`, `100ユーロと30`. */
const SUM_OF_MONEY =
  /^\s?(?:元|圆|圓|块|円|人民元|ドル|ユーロ|달러|유로)(?:[와과と]\s?\d|\s?\d+\s?[角毛分銭])/u;
/** `1/2`, `2 1/4`, `2-1/4`, `2 e 1/4` */
const FRACTION =
  /^(?:(\d{1,4})(?:-|\s{1,2}(?:(?:e|y|and|und|et|og|och|en|и)\s)?))?(\d{1,3})\s?[/⁄]\s?(\d{1,3})(?![\d/]|[.,]\d)/i;
const UNCLEAR_FRACTION = 'could be a fraction or two numbers';
export const UNCLEAR_SCALE = 'could be multiplied by the word after it';

/** A fraction with a slash where the text is nothing else, or with a whole number before it: `1 1/2 cups`. */
function readFraction(
  text: string,
  number: WrittenNumber,
  language: string | undefined,
): Omit<Quantity, 'scale' | 'digits'> | undefined {
  const { start } = number;
  const near = text.slice(start, start + 20);
  const match = /[/⁄]/.test(near) ? FRACTION.exec(near) : null;
  if (match === null || /[\d/⁄][.,]?$/.test(text.slice(0, start))) return undefined;
  const end = start + match[0].length;
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const [whole, part, parts] = [Number(match[1] ?? 0), Number(match[2]), Number(match[3])];
  const isAll =
    !/[\p{L}\p{M}\d]/u.test(after) && (!/[\p{L}\p{M}\d]/u.test(before) || endsWithMinus(before, undefined));
  const isMixed = match[1] !== undefined && part < parts && (match[2]?.length ?? 0) < 3;
  // `10/20 €`: two prices, or a part of one.
  const hasCurrency =
    currencyBefore(before.slice(-AROUND)) !== undefined ||
    currencyAfter(after.slice(0, AROUND)) !== undefined;
  // In Persian the slash is a decimal mark too.
  const isDecimal = match[1] === undefined && language?.startsWith('fa') === true;
  if (parts === 0 || isDecimal || hasCurrency || !(isAll || isMixed))
    return { start, end, fault: UNCLEAR_FRACTION };
  return { start, end, exact: whole + part / parts };
}

/** `10⁻³`, `10⁶`, `0x1F`; but `$10¹` has a note. */
function isPowerOrHex(digits: string, before: string, after: string): boolean {
  if (/^⁻[⁰¹²³⁴-⁹]/u.test(after) || (digits === '0' && /^x[\da-f]/i.test(after))) return true;
  return digits === '10' && /^[⁰¹²³⁴-⁹]/u.test(after) && currencyBefore(before.slice(-AROUND)) === undefined;
}

function readQuantity(text: string, number: WrittenNumber, language: string | undefined): Quantity {
  if (number.fault !== undefined) return { ...number, scale: NO_SCALE };
  const fraction = readFraction(text, number, language);
  if (fraction !== undefined) return { ...number, ...fraction, scale: NO_SCALE };
  const east = readEastAsian(text, number.start);
  if (east !== undefined) {
    const { start, end, value } = east;
    const lead = start < number.start ? { lead: true as const } : {};
    return value === undefined
      ? { ...number, start, end, scale: NO_SCALE, fault: 'is not a number' }
      : { ...number, ...lead, start, end, exact: value, scale: NO_SCALE };
  }
  const after = text.slice(number.end, number.end + 60);
  if (isPowerOrHex(number.digits, text.slice(0, number.start), after))
    return { ...number, scale: NO_SCALE, fault: 'is a power or not decimal' };
  if (after === '') return { ...number, scale: NO_SCALE };
  if (!/\d/.test(after)) return readScaled(text, number, after, language);
  if (SUM.test(after) || (number.isTotal !== true && SUM_OF_MONEY.test(after)))
    return { ...number, scale: NO_SCALE, fault: UNITS_OR_TWO };
  return readScaled(text, number, after, language);
}

function readScaled(
  text: string,
  number: WrittenNumber,
  after: string,
  language: string | undefined,
): Quantity {
  if (number.isTotal === true) return { ...number, scale: NO_SCALE };
  const before = text.slice(Math.max(0, number.start - AROUND), number.start);
  const scale = readScale(after, before, language);
  if (scale.isUnclear) return { ...number, scale, fault: UNCLEAR_SCALE };
  if (scale.length === 0) return { ...number, scale };
  // `10 millones de dólares`
  const link = /^ (?:de |di |d['’]|of |av |af )/iu.exec(after.slice(scale.length))?.[0].length ?? 0;
  const isLinked = link > 0 && currencyAfter(after.slice(scale.length + link - 1)) !== undefined;
  return { ...number, end: number.end + scale.length + (isLinked ? link - 1 : 0), scale };
}

/** Words between the two numbers of a range or a choice. */
const RANGE_WORDS =
  `to|through|or|bis|do|til|till|tot|à|a|до|hasta|até|oder|ou|o|lub|eller|или|або|až|nebo|sau|ile|veya|έως|ή|עד|إلى|أو|تا|یا|से
đến|sampai|hingga|atau|에서|부터|내지|から|または|至|到|或`.replace('\n', '|');
const RANGE = new RegExp(String.raw`^\s?(?:[-–—~〜]|${RANGE_WORDS})\s?\p{Sc}?\s?$`, 'iu');
/** What stands between two numbers that share the currency after them: `10–20 €`, `10 to 20 USD`. */
export const SHARED = new RegExp(String.raw`^\s*(?:(?:[-–—~〜/,+&]|${RANGE_WORDS})\s*)?$`, 'iu');
/** What stands between the parts of `2 million 500 thousand`. */
const PLUS = /^\s?(?:(?<=\s)(?:and|und|et|y|e|i|и|і|en|og|och|ve|și|va|dan|و)\s)?$/u;
const UNCLEAR_RANGE = 'could share the multiplier of the number after it';

function sizeOf({ digits }: Quantity): number {
  return Number(readDigits(digits, () => undefined)?.text);
}

/** Whether the second number is a smaller part of the first: `2 million 500 thousand`, `2 mil 500`. */
function isSmallerPart(one: Quantity, next: Quantity, between: string): boolean {
  if (one.scale.power < 3 || one.scale.length < 2 || between.length > 6 || !PLUS.test(between)) return false;
  const isRest = one.scale.power === 3 && next.scale.power === 0 && /^\d{1,3}$/.test(next.digits);
  return isRest || (next.scale.power > 0 && next.scale.power < one.scale.power);
}

/** A number with what the one after it says: the first of a range shares its multiplier, `1–2 million`, `100-200만원`. */
function readBeside(one: Quantity, next: Quantity, text: string): Quantity {
  const between = text.slice(one.end, next.start);
  if (isSmallerPart(one, next, between)) return { ...one, end: next.end, fault: UNITS_OR_TWO };
  if (between.length > 8 || !RANGE.test(between)) return one;
  const range = { ...one, until: next.until ?? next.end };
  if (one.fault !== undefined || one.exact !== undefined || one.scale.length > 0) return range;
  if (next.fault !== undefined) return { ...range, fault: next.fault };
  const factor = next.exact === undefined ? 1 : next.exact / sizeOf(next);
  const power = factor < 10 ? next.scale.power : Math.log10(factor);
  if (power === 0) return range;
  // `Season 1 - 2 million views`
  const isApart = /^\s.\s/.test(between) && /[\p{L}\p{M}]\s?$/u.test(text.slice(0, one.start));
  if (isApart || !Number.isInteger(power) || !(sizeOf(one) < sizeOf(next)))
    return { ...range, fault: UNCLEAR_RANGE };
  return { ...range, scale: { power, length: 0 } };
}

/** All numbers of a text in order, each with what counts it. */
export function findQuantities(text: string, language: string | undefined): Quantity[] {
  const quantities: Quantity[] = [];
  let end = 0;
  for (const number of findNumbers(text)) {
    if (number.start < end) continue;
    const quantity = readQuantity(text, number, language);
    quantities.push(quantity);
    ({ end } = quantity);
  }
  let next: Quantity | undefined;
  return quantities
    .toReversed()
    .map((one) => (next = next === undefined ? one : readBeside(one, next, text)))
    .toReversed();
}
