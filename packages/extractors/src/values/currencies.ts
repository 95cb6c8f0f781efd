/**
 * Signs and words of currencies without dots, each with the codes that it can mean: the likeliest first, `-` where none is.
 * Words of one or two Latin letters count only as they are written here: `ft` are feet, and `Ft` is the forint.
 */
const TABLE = `
$ USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU BBD BZD BSD BMD JMD TTD NAD FJD LRD XCD KYD GYD SRD DOP
us$ u$s u$d usd$ dollar dollars USD|c$ ca$ cad$ can$ CAD|au$ a$ aud$ AUD|nz$ NZD|hk$ HKD|s$ sg$ SGD|nt$ TWD|r$ BRL
mx$ mex$ MXN|ar$ ARS|clp$ CLP|col$ cop$ COP|$u UYU|$b Bs BS BOB|rd$ DOP|j$ JMD|tt$ TTD|n$ NAD|z$ ZWL|ec$ XCD|b/ PAB|s/ PEN
Gs ₲ PYG|lps L HNL|c/ NIO|Q GTQ|₡ CRC|R ZAR|€ euro euros EUR|£ GBP EGP LBP|pound pounds GBP|₤ ITL GBP TRY|¢ ct cent cents -
¥ - JPY CNY|円 JPY|元 圆 CNY TWD HKD|人民币 rmb CNY|₩ 원 KRW|₹ INR|Rs RS rs - INR PKR LKR NPR MUR SCR|₨ - PKR INR LKR NPR MUR
रु रू रुपये रुपए - INR NPR|Tk TK tk taka ৳ টাকা BDT|රු LKR|₫ đ vnđ VND|₭ LAK|៛ KHR|฿ บาท THB|Rp RP rp IDR|RM MYR|₱ PHP|₮ MNT
₸ тг тенге KZT|сум UZS|Kr KR kr - SEK NOK DKK ISK|Kč KČ kč Kc KC kc CZK|Ft FT HUF|zł ZŁ Zł zl PLN|lei leu - RON MDL|лв BGN
kn HRK|din дин - RSD MKD|ден MKD|lek ALL|₽ RUB|руб рублей рубля рубль р Р - RUB BYN|₴ грн гривень UAH|₺ TL tl Tl TRY
₾ ლ GEL|₼ AZN|֏ AMD|Fr fr FR sfr CHF|₪ ש"ח שח ש״ח ILS|درهم - AED MAD|دإ dhs AED|DH Dh dh - MAD AED|دم MAD
ريال - SAR QAR OMR YER IRR|رس SR SAR|﷼ - IRR SAR QAR OMR YER|رق QR QAR|رع OMR|جنيه - EGP SDG|جم LE EGP|تومان IRT|ریال IRR
دينار - KWD BHD JOD LYD TND IQD DZD|دك KD KWD|دب BD BHD|دت DT TND|دج DA DZD|دع IQD|دأ JD JOD|دل LYD
₦ NGN|₵ gh₵ gh¢ GHS|ksh kshs KES|tsh TZS|ush UGX|pesos peso - MXN ARS CLP COP PHP UYU
`;

function isCode(word: string): boolean {
  return word === '-' || /^[A-Z]{3}$/.test(word);
}

const SIGNS = new Map<string, readonly string[]>(
  TABLE.trim()
    .split(/[|\n]/)
    .flatMap((entry) => {
      const words = entry.trim().split(' ');
      const codes = words.filter(isCode);
      return words.filter((word) => !isCode(word)).map((word): [string, string[]] => [word, codes]);
    }),
);

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
/** Codes that are English words, which stand before many numbers. */
const WORDS: ReadonlySet<string> = new Set(['ALL', 'TOP', 'TRY', 'CUP', 'MOP', 'PEN', 'GEL', 'LAK', 'SOS']);

/** Currencies whose prices have no decimals. */
const WHOLE: ReadonlySet<string> = new Set(
  `HUF IDR VND CLP JPY KRW ISK PYG COP UGX RWF XAF XOF XPF KMF GNF BIF DJF VUV IQD IRR IRT LAK`.split(' '),
);
/** Currencies whose smallest unit is a thousandth. */
const MILS: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** The codes that a sign can mean, the likeliest first; `-` first when none is likely. */
export type Currency = readonly string[];

/** `mils`: three digits after a point can be a part of the amount, as in `KWD 1.250`. */
export function decimalsOf(currency: Currency): 'none' | 'cents' | 'mils' {
  if (currency.some((code) => MILS.has(code)))
    return currency.length > 1 && currency[0] !== '-' ? 'cents' : 'mils';
  return WHOLE.has(currency[0] ?? '') ? 'none' : 'cents';
}

function lookUp(written: string): Currency | undefined {
  const word = written.replaceAll('.', '');
  if (CODES.has(word)) return [word];
  return SIGNS.get(word) ?? (/^[a-z]{1,2}$/i.test(word) ? undefined : SIGNS.get(word.toLowerCase()));
}

const BEFORE =
  /(?<![\p{L}\p{M}])((?:[\p{L}\p{M}.]{0,4}[\p{Sc}¢]\p{L}?|\p{L}[\p{L}\p{M}."״]{0,9}|[SBC]\/)\.?)\s*$/u;
const AFTER = /^\s*([\p{Sc}¢]|\p{L}[\p{L}\p{M}."״]{0,9}\p{Sc}?)(?![\p{L}\p{M}])/u;

/** The sign, word or code that ends a text, and what stands before it. */
function lastSign(text: string): { currency: Currency; rest: string } | undefined {
  const match = BEFORE.exec(text);
  const word = match?.[1];
  if (match === null || word === undefined) return undefined;
  const rest = text.slice(0, match.index);
  const currency = lookUp(word) ?? lookUp(/[\p{Sc}¢]\.?$/u.exec(word)?.[0] ?? '');
  if (currency === undefined || WORDS.has(word)) return undefined;
  // `US $5`, `C $5`: the letters stand apart.
  const apart = currency.length > 1 ? /(?<!\p{L})\p{L}{1,3}\s?$/u.exec(rest)?.[0].trim() : undefined;
  const whole =
    apart === undefined ? undefined : (lookUp(apart + word) ?? (CODES.has(apart) ? [apart] : undefined));
  return { currency: whole ?? currency, rest };
}

/** The currency that ends the text before a number: `$`, `US$`, `EUR`, `Rs.`; undefined when none does. */
export function currencyBefore(before: string): Currency | undefined {
  return lastSign(before.slice(-16))?.currency;
}

function firstSign(text: string): { currency: Currency; length: number } | undefined {
  const match = AFTER.exec(text);
  const currency = match?.[1] === undefined ? undefined : lookUp(match[1]);
  if (match === null || currency === undefined) return undefined;
  const { length } = match[0];
  const next = /^[\d.,]+/.exec(text.slice(length))?.[0].length;
  // In `6 $12`, the dollar belongs to the second number, but not in `6 $12 $`.
  const isNext = next !== undefined && /^\s/.test(text) && !AFTER.test(text.slice(length + next));
  return isNext ? undefined : { currency, length };
}

/** The currency that begins the text after a number: ` €`, ` руб.`, `円`; undefined when none does. */
export function currencyAfter(after: string): Currency | undefined {
  const near = after.slice(0, 24);
  const first = firstSign(near);
  if (first === undefined) return undefined;
  const second = first.currency.length > 1 ? firstSign(near.slice(first.length)) : undefined;
  return second?.currency.length === 1 ? second.currency : first.currency;
}

/** Whether the text between two numbers is the currency of the first and nothing else. */
export function isCurrency(between: string): boolean {
  const first = firstSign(between.slice(0, 24));
  return first !== undefined && between.slice(first.length).trim() === '';
}

/** The currency beside a number; of two signs the one that names a single currency: `$ 5.00 CAD`. */
export function currencyBeside(before: string, after: string): Currency | undefined {
  const [left, right] = [currencyBefore(before), currencyAfter(after)];
  // In `€ 5 $ 6`, the dollar belongs to the second number too.
  if (left === undefined || right === undefined || /^\s*[\p{Sc}\p{L}.]+\s?\d/u.test(after))
    return left ?? right;
  return left.length === 1 ? left : right.length === 1 ? right : left;
}

/** The code that a sign means in a region: `$` is CAD in CA. Undefined when the sign can mean several. */
export function codeIn(currency: Currency, regions: Iterable<string | undefined>): string | undefined {
  for (const region of regions) {
    if (region === undefined) continue;
    // The codes begin with those of their countries.
    const code = currency.find((one) => one.startsWith(region));
    if (code !== undefined) return code;
  }
  return currency[0] === '-' ? undefined : currency[0];
}

/** A price of a litre, a gallon or a kilowatt-hour has a third decimal. */
const MEASURE = /^[^\d/]{0,8}(?:\/|\b(?:per|pro|je|par|por|al)\b)\s?(?:l|lit|gal|kwh|m³|m3|min)/iu;

/** Whether the text after a number says that it is the price of a measure: ` €/l`, ` per kWh`. */
export function isPerMeasure(after: string): boolean {
  return MEASURE.test(after.slice(0, 24));
}
