import { RAISED_DIGITS } from '@gleaner/html';
import { currencyAfter, currencyBefore, isCurrency } from './currencies.ts';
import { readDigits } from './separators.ts';

/** A number as it is written: digits with separators, and a place in the text. */
export interface WrittenNumber {
  digits: string;
  start: number;
  end: number;
  /** The digits are of two units: `12 руб 50 коп`. */
  isTotal?: true;
  /** Why it is no one number. */
  fault?: string;
}

/** Longer texts are prose, in which nothing is joined. */
const SHORT = 200;

/** Digits with all separators and white space among them: one number, or several with spaces between. */
const ZONE = /(?<![.,])[.,]*\d(?:(?:[.,\s]*|['_])\d)*/g;
/** The most numbers that are looked at. */
const MOST = 100;
const GROUPED = /^\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\S)/;
/** A separator with a space beside it: `1.837, 32`, `12 ,99`. */
const LOOSE = /\s[.,]\s?|[.,]\s/;
const TWO_CENTS = /^(\S+|\d{1,3}(?: \d{3})+)\s(\d\d)$/;
const RAISED = /(?<![\d.,]|[×x*]\s?)(\d+(?:[.,' ]\d{3})*)[.,]?\s?([⁰¹²³⁴-⁹]{2})(?![⁰¹²³⁴-⁹])/gu;

function isNumber(digits: string): boolean {
  return readDigits(digits, () => undefined) !== undefined;
}

/** Cents that are raised get their point: `$35⁹⁹`. */
export function lowerCents(text: string): string {
  if (text.length > SHORT) return text;
  return text.replaceAll(
    RAISED,
    (_, whole: string, cents: string) =>
      `${whole.replaceAll(/[.,' ]/g, '')}.${Array.from(cents, (sign) => RAISED_DIGITS.indexOf(sign)).join('')}`,
  );
}

/** Whether nothing but a currency and signs follows, so that the digits before belong to the amount. */
function endsAmount(rest: string): boolean {
  return !/^\s?[%\p{L}]/u.test(rest) || currencyAfter(rest) !== undefined;
}

function hasCents(whole: string): boolean {
  return /[.,]\d{1,2}$/.test(whole);
}

interface Zone {
  text: string;
  start: number;
  before: string;
  after: string;
  /** The text has no other digits. */
  isOnly: boolean;
}

/** A point at the beginning: a decimal one in `.75`, a part of the sign in `Rs.75` and `$.750.30`; undefined when neither. */
function withoutLead(text: string, before: string): string | undefined {
  const lead = /^[.,]*/.exec(text)?.[0] ?? '';
  if (lead === '') return text;
  const body = text.slice(lead.length);
  if (/[\p{L}/]$/u.test(before)) return body;
  const isPlain = /^\d+(?!\S)/.test(body);
  if (lead.length === 1 && isPlain) return lead === '.' || !/\S$/u.test(before) ? `.${body}` : body;
  if (!/\p{Sc}$/u.test(before)) return undefined;
  return lead.length === 1 ? body : lead.length === 2 && isPlain ? `.${body}` : undefined;
}

/** The digits without the spaces beside separators; undefined when they can't be one number. */
function tightOf(text: string): string | undefined {
  const tight = text.replaceAll(/\s?([.,])\s?/g, '$1');
  const parts = [...text.matchAll(/(?:\s[.,]\s?|[.,]\s)(\d+)/g)].map(([, digits = '']) => digits.length);
  return parts.every((length) => length === 2 || length === 3) && isNumber(tight.replaceAll(/\s/g, ''))
    ? tight
    : undefined;
}

function separatorsIn(text: string): number {
  return text.match(/[.,]/g)?.length ?? 0;
}

/** Joins a number whose separators have spaces beside them; undefined when they can't be parts of one number. */
function joinLoose({ text, before, after }: Zone): string | undefined {
  const joined = tightOf(text);
  if (joined === undefined || !endsAmount(after)) return undefined;
  const isAmount = currencyBefore(before) !== undefined || currencyAfter(after) !== undefined;
  const isAlone = before.trim() === '' && after.trim() === '' && !/,\s|\s,/.test(text);
  return isAmount || isAlone || separatorsIn(joined) > 1 ? joined : undefined;
}

/** `USD 1.234, 50 each`: the last digits are cents, or count what follows. */
function isOneOrTwo({ text, before, after }: Zone): boolean {
  const tight = tightOf(text);
  if (tight === undefined || separatorsIn(tight) < 2) return false;
  return /^\s?\p{L}/u.test(after) && currencyBefore(before) !== undefined;
}

/** Cents that stand apart because they were raised: `$35 99`, `35 99 €`. */
function joinCents({ text, before, after, isOnly }: Zone): string | undefined {
  const [, whole = '', cents = ''] = TWO_CENTS.exec(text) ?? [];
  if (whole === '' || !isOnly || hasCents(whole) || !endsAmount(after)) return undefined;
  const [left, right] = [currencyBefore(before), currencyAfter(after)];
  if ((left === undefined) === (right === undefined) || !/^[^\p{L}]*$/u.test(right ? before : after))
    return undefined;
  return `${whole.replaceAll(/[\s.,']/g, '')}.${cents}`;
}

/** Dashes where the whole units would be. */
const NO_WHOLE = /(?<!\d)(?:-{1,2}|[–—])$/;
const UNCLEAR_DASH = 'could be negative or without whole units';

/** An amount without whole units: `-,79 €`, in Switzerland `CHF -.95`. Elsewhere a dash before a point is a minus. */
function readCents({ text, start, before, after }: Zone): WrittenNumber | undefined {
  const dash = /^[.,]\d/.test(text) ? NO_WHOLE.exec(before)?.[0] : undefined;
  if (dash === undefined) return undefined;
  const currency = currencyBefore(before.slice(0, -dash.length)) ?? currencyAfter(after);
  if (text.startsWith('.') && currency?.[0] !== 'CHF') return undefined;
  const number = { digits: text.replace(',', '.'), start: start - dash.length, end: start + text.length };
  return currency !== undefined && /^.\d\d$/.test(text) ? number : { ...number, fault: UNCLEAR_DASH };
}

const CUT = 'is a part of a longer number';

/** The numbers of a zone. Digits are parted only at white space, so none is cut out of a longer number. */
function splitZone(zone: Zone): WrittenNumber[] {
  const cents = readCents(zone);
  if (cents !== undefined) return [cents];
  const lead = withoutLead(zone.text, zone.before);
  const end = zone.start + zone.text.length;
  if (lead === undefined) return [{ digits: zone.text, start: zone.start, end }];
  const start = end - lead.length;
  const body = { ...zone, text: lead };
  const joined = LOOSE.test(lead) ? joinLoose(body) : undefined;
  // `12, 50` alone: one number or two.
  const isTwo = /^\S+,\s\d{2,3}$/.test(lead) && zone.isOnly && !/\p{L}/u.test(zone.before + zone.after);
  const isUnclear = isTwo || (LOOSE.test(lead) && isOneOrTwo(body));
  if (joined === undefined && isUnclear) return [{ digits: lead, start, end }];
  const text = joined ?? lead;
  const apart = joinCents({ ...body, text });
  if (apart !== undefined) return [{ digits: apart, start, end }];
  const numbers: WrittenNumber[] = [];
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const [digits = ''] = GROUPED.exec(rest) ?? /^\S+/.exec(rest) ?? [];
    if (/\d/.test(digits)) {
      const from = joined === undefined ? start + at : start;
      const clean = digits.replace(/(?<![.,])[.,]+$/, '');
      const written = { digits: clean, start: from, end: joined === undefined ? from + clean.length : end };
      // `+1 555 123 4567`, `12 345 67`
      const isCut = / \d+$/.test(digits) && /^ \d/.test(text.slice(at + digits.length));
      numbers.push(isCut ? { ...written, fault: CUT } : written);
    }
    at += Math.max(1, digits.length);
  }
  return numbers;
}

/** What stands between an amount and its cents, in words. */
const AND = /\s?(?:(?<=\s)(?:and|en|et|und|y|e|con|och|og|ve|i|и|và|और)\s|と|와 ?|과 ?|,\s)?$/iu;
/** Hundredths of currencies, in words. */
const CENTS =
  /^\s?(?:коп\p{L}*|kop\p{L}*|bani|cents?|ct|centimes?|c[eé]ntimos?|centavos?|centesimi|centesimo|centów|gr|grosz\p{L}*|hal\p{L}*|öre|øre|kuruş|pence|p|paise|fillér|rappen|rp|cts|ст|стотинк\p{L}*|אגורות|هللة|sent\p{L}*|セント|센트|सेंट|पैसे|銭|分)(?![\p{L}\p{M}])/iu;

/** `35€ 99`, `12 руб 50 коп`, `3 euro en 50 cent`: the currency stands where the point would be. */
function joinAtCurrency(text: string, numbers: readonly WrittenNumber[]): WrittenNumber | undefined {
  const [one, two, ...more] = numbers;
  if (one === undefined || two === undefined || more.length > 0 || !/^\d\d?$/.test(two.digits))
    return undefined;
  const between = text.slice(one.end, two.start);
  const after = text.slice(two.end);
  const link = AND.exec(between)?.[0] ?? '';
  if (
    hasCents(one.digits) ||
    !isNumber(one.digits) ||
    !isCurrency(between.slice(0, between.length - link.length))
  )
    return undefined;
  if (CENTS.test(after)) {
    const digits = `${one.digits.replaceAll(/[\s.,']/g, '')}.${two.digits.padStart(2, '0')}`;
    return { digits, start: one.start, end: one.end, isTotal: true };
  }
  if (link.trim() !== '' || two.digits.length !== 2 || currencyBefore(text.slice(0, one.start)) !== undefined)
    return undefined;
  if (!endsAmount(after) || currencyAfter(after) !== undefined) return undefined;
  return { digits: `${one.digits.replaceAll(/[\s.,']/g, '')}.${two.digits}`, start: one.start, end: one.end };
}

/** All numbers of a text in order. Digits that are no number stay as they are, so that a reader refuses them. */
export function findNumbers(text: string): WrittenNumber[] {
  const zones: RegExpExecArray[] = [];
  for (const zone of text.matchAll(ZONE)) if (zones.push(zone) === MOST) break;
  const isShort = text.length <= SHORT;
  const numbers = zones.flatMap(({ 0: zone, index: start }) =>
    splitZone({
      text: zone,
      start,
      before: text.slice(0, start).slice(-SHORT),
      after: text.slice(start + zone.length, start + zone.length + SHORT),
      isOnly: isShort && zones.length === 1,
    }),
  );
  const joined = isShort ? joinAtCurrency(text, numbers) : undefined;
  return joined === undefined ? numbers : [joined];
}
