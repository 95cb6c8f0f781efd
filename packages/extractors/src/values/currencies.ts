/** Signs of currencies that are words or letters, in lower case, beside the codes of ISO 4217. */
const WORDS: ReadonlySet<string> = new Set(
  `rp rs kr kč kc ft zł zl đ дин руб рублей рубля рубль р грн лв lei leu kn din rm tl lt сум тг тенге ден
  euro euros eur. dollar dollars pounds pesos pln. 元 円 원 جنيه درهم ريال تومان`.split(/\s+/),
);

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
/** Currencies whose smallest unit is a thousandth, and the Arabic dinar. */
const MILS: ReadonlySet<string> = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND', 'دينار']);

/** `mils`: three digits after a point can be a part of the amount, as in `KWD 1.250`. */
export type CurrencyBeside = 'cents' | 'mils';

function ofWord(word: string | undefined): CurrencyBeside | undefined {
  if (word === undefined) return undefined;
  if (MILS.has(word)) return 'mils';
  return CODES.has(word) || WORDS.has(word.toLowerCase()) ? 'cents' : undefined;
}

/** The currency that ends the text before a number: `$`, `US$`, `EUR`, `Rs.`; undefined when none does. */
export function currencyBefore(before: string): CurrencyBeside | undefined {
  const near = before.slice(-12).trimEnd();
  if (/\p{Sc}$/u.test(near)) return 'cents';
  return ofWord(/(?:^|[^\p{L}])(\p{L}{1,8})\.?$/u.exec(near)?.[1]);
}

/** The currency that begins the text after a number: ` €`, ` руб.`, `円`; undefined when none does. */
export function currencyAfter(after: string): CurrencyBeside | undefined {
  const near = after.slice(0, 12).trimStart();
  if (/^\p{Sc}/u.test(near)) return 'cents';
  return ofWord(/^(\p{L}{1,8})(?!\p{L})/u.exec(near)?.[1]);
}

/** A price of a litre, a gallon or a kilowatt-hour has a third decimal. */
const MEASURE = /^[^\d/]{0,8}(?:\/|\b(?:per|pro|je|par|por|al)\b)\s?(?:l|lit|gal|kwh|m³|m3|min)/iu;

/** Whether the text after a number says that it is the price of a measure: ` €/l`, ` per kWh`. */
export function isPerMeasure(after: string): boolean {
  return MEASURE.test(after.slice(0, 24));
}
