import { codeIn, currencyAfter, decimalsOf } from './currencies.ts';
import { createAmountReader, type NumberContext } from './number.ts';
import { invalidReading, valueReading, type Reading } from './reading.ts';

/** An amount with its ISO 4217 code, null where the text names no currency or one that could be several. */
export interface Money {
  [key: string]: number | string | null;
  amount: number;
  currency: string | null;
}

/** Where the page is from, for signs such as `$` that several currencies have. */
export interface MoneyContext extends NumberContext {
  /** The language of the page, also beside attributes and data. */
  spoken?: string | undefined;
  url?: string | undefined;
}

/** Endings of addresses that sites of all countries use, unless a `com` stands before them. */
const EVERYWHERE = new Set(['co', 'bz', 'md', 'ly']);

/** The country of an address: AU for `shop.com.au`, GB for `.uk`. */
function regionOfUrl(url: string | undefined): string | undefined {
  const [, second, ending = ''] =
    /^https?:\/\/(?:[^/?#@]*@)?(?:[^/?#:.]+\.)*?([^/?#:.]+)\.([a-z]{2})\.?(?=[/?#:]|$)/i.exec(url ?? '') ??
    [];
  if (ending === '' || (EVERYWHERE.has(ending.toLowerCase()) && second !== 'com')) return undefined;
  return ending.toLowerCase() === 'uk' ? 'GB' : ending.toUpperCase();
}

function localeOf(tag: string | undefined): Intl.Locale | undefined {
  try {
    return tag === undefined ? undefined : new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    // A page can name anything.
    return undefined;
  }
}

/** The countries that a page may be of, the likeliest first; `own` is that of the field. */
function* regionsOf(own: string | undefined, { url, spoken }: MoneyContext): Generator<string | undefined> {
  yield own;
  yield regionOfUrl(url);
  const language = localeOf(spoken);
  yield language?.region;
  yield language?.maximize().region;
}

/** The members of an object in JSON text; none when the text is something else. */
export function membersOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A step changed the text, or the page has a brace of its own.
    return {};
  }
}

/** The parts of an amount in data, as schema.org names them: `{"price": "12.00", "priceCurrency": "EUR"}`. */
function readParts(text: string): { amount: string | number; currency: string } | undefined {
  const { price, lowPrice, amount, value, priceCurrency, currency } = membersOf(text);
  const size = price ?? lowPrice ?? amount ?? value;
  if (typeof size !== 'number' && typeof size !== 'string') return undefined;
  const code = priceCurrency ?? currency;
  return { amount: size, currency: typeof code === 'string' ? code : '' };
}

/** A number with an exponent, so that its point can be no group. */
function exactText(amount: string | number): string {
  return /e/i.test(String(amount)) ? String(amount) : `${amount}e0`;
}

/** Whether the text of an amount in data has a decimal point, as schema.org wants: `169.000` rupiah have no decimals. */
function hasPoint(amount: string, currency: string): boolean {
  const decimals = decimalsOf(currencyAfter(` ${currency}`) ?? []);
  return decimals === 'cents' && /^\s*\d+\.\d+\s*$/.test(amount);
}

/** Reads an amount of money with its currency. A sign that several currencies have means the one of the page's country. */
export function createMoneyReader(
  locale?: string,
): (value: string | number, context?: MoneyContext) => Reading<Money> {
  const read = createAmountReader(locale);
  const own = localeOf(locale)?.maximize().region;
  return (given, context = {}) => {
    const raw = String(given);
    const { amount, currency: unit } = readParts(raw) ?? { amount: given, currency: '' };
    const isExact =
      typeof amount === 'number' || (context.isData && locale === undefined && hasPoint(amount, unit));
    const reading = read(`${isExact ? exactText(amount) : amount} ${unit}`, context);
    if (reading.state !== 'value') return reading;
    const { value: size, currency: sign, isRate, hundredths } = reading.value;
    const isHundredths = hundredths !== undefined;
    const total = isHundredths ? Number(`${size}e-2`) : size;
    // `99 ¢ USD`
    const isNamed = sign?.length === 1 && sign[0] !== '-' && hundredths?.includes(sign[0] ?? '') === true;
    const currency = isHundredths && !isNamed ? hundredths : sign;
    if (isRate === true) return invalidReading(raw, 'is a percentage, not an amount of money');
    const code =
      currency === undefined || currency.length === 1
        ? currency?.[0]
        : codeIn(currency, regionsOf(own, context));
    return valueReading({ amount: total, currency: code === '-' ? null : (code ?? null) }, reading.note);
  };
}
