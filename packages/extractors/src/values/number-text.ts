import { currencyAfter, currencyBefore } from './currencies.ts';

/** Longer texts are prose, in which nothing is joined. */
const SHORT = 200;

/** The only number of a short text is split before its two cents: `$119. 95`, `1.837, 32 €`, `36. 24`. */
const SPLIT_AT_POINT = /^(\D*)(\d[\d.,' ]*)([.,]) (\d\d)(\D*)$/u;
/** The currency stands where the point would be: `35€ 99`. */
const SPLIT_AT_CURRENCY = /^(\D*)(\d[\d.,' ]*?)( ?(?:\p{Sc}|[A-Z]{3}|\p{L}{2}\.?) ?)(\d\d)(\D*)$/u;
/** The cents are raised and so lost their point: `$35 99`. */
const SPLIT_AT_SPACE = /^(\D*)(\d{1,6})( )(\d\d)(\D*)$/u;
const RAISED = /(\d)([⁰¹²³⁴-⁹]{2})(?![⁰¹²³⁴-⁹])/gu;
const RAISED_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Whether nothing but a currency and signs follows, so that the digits before belong to the amount. */
function endsAmount(rest: string): boolean {
  return !/^\s?[%\p{L}]/u.test(rest) || currencyAfter(rest) !== undefined;
}

function hasCents(whole: string): boolean {
  return /[.,]\d{1,2}$/.test(whole);
}

/**
 * Joins an amount whose cents stand apart: `$119. 95` becomes `$119.95`, `35€ 99` and `$35⁹⁹` too. Only where the text
 * holds no other number and a currency, or nothing else at all, stands beside it.
 */
export function joinCents(text: string): string {
  if (text.length > SHORT) return text;
  const raised = text.replaceAll(
    RAISED,
    (_, digit: string, cents: string) =>
      `${digit}.${Array.from(cents, (sign) => RAISED_DIGITS.indexOf(sign)).join('')}`,
  );
  const point = SPLIT_AT_POINT.exec(raised);
  if (point !== null) {
    const [, before = '', whole = '', separator = '', cents = '', rest = ''] = point;
    const isAlone = separator === '.' && before.trim() === '' && rest.trim() === '';
    const isAmount = currencyBefore(before) !== undefined || currencyAfter(rest) !== undefined;
    return (isAlone || isAmount) && endsAmount(rest) && !hasCents(whole)
      ? `${before}${whole.trim()}${separator}${cents}${rest}`
      : raised;
  }
  const {
    1: before = '',
    2: whole = '',
    3: between = '',
    4: cents = '',
    5: rest = '',
  } = SPLIT_AT_SPACE.exec(raised) ?? SPLIT_AT_CURRENCY.exec(raised) ?? [];
  const isAmount = between === ' ' ? currencyBefore(before) : currencyAfter(between);
  if (isAmount === undefined || hasCents(whole) || !endsAmount(rest) || currencyAfter(rest) !== undefined)
    return raised;
  return `${before}${whole.replaceAll(/[ '.,]/g, '')}.${cents}${between.trimEnd()}${rest}`;
}

/** Words beside a percentage that say it is a discount or a tax rate, which is no value of its own. */
const RATE =
  /(?<!\p{L})(?:off|discount|saved?|savings?|sale|rabatt?|nachlass|sparen|gespart|remise|réduction|descuento|dto|ahorra|desconto|sconto|korting|zniżka|sleva|скидка|indirim|vat|mwst|ust|tva|iva|btw|moms|dph|ндс|gst|tax|φπα|ptu)(?!\p{L})/iu;

/** Whether a text that holds percentages only speaks of a discount or a tax: `40% OFF`, `incl. 20 % VAT`. */
export function namesRate(text: string): boolean {
  return RATE.test(text);
}

/** Whether the text after a number makes it a percentage. */
export function isPercentage(after: string): boolean {
  return /^\s?(?:%|٪|percent\b|prozent\b)/iu.test(after.slice(0, 12));
}
