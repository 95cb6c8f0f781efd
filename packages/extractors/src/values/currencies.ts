/** What a dollar can be. */
const DOLLARS = ['USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'TWD', 'MXN', 'ARS', 'CLP', 'COP', 'UYU'] as const;

/**
 * Signs and words of currencies without dots, each with the codes that it can mean: the likeliest first, `-` where none is.
 * Words of one or two Latin letters count only as they are written here: `ft` are feet, and `Ft` is the forint.
 */
const TABLE = `
$ USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU BBD BZD BSD BMD JMD TTD NAD FJD LRD XCD KYD GYD SRD DOP
us$ u$s u$d usd$ $us USD|dollar dollars USD CAD AUD NZD HKD SGD|c$ ca$ cad$ can$ $ca $can CAD|au$ a$ aud$ $au AUD|nz$ NZD|hk$ HKD|s$ sg$ SGD|nt$ TWD|r$ BRL
mx$ mex$ MXN|ar$ ARS|clp$ CLP|col$ cop$ COP|$u UYU|$b Bs BS BOB|rd$ DOP|j$ JMD|tt$ TTD|n$ NAD|z$ ZWL|ec$ XCD|bz$ BZD|bds$ BBD|fj$ FJD|gy$ GYD
bd$ BMD|ci$ KYD|sr$ SRD|b$ - BSD BND|l$ LRD|e£ EGP|ir£ IEP|ll£ l£ LBP|cn¥ CNY|jp¥ JPY|b/ PAB|s/ PEN
Gs ₲ PYG|lps L HNL|c/ NIO|Q GTQ|₡ CRC|R ZAR|€ euro euros EUR|£ GBP EGP LBP|pound pounds GBP|₤ ITL GBP TRY|¢ ct cent cents -
¥ - JPY CNY|円 JPY|元 圆 CNY TWD HKD|人民币 rmb CNY|₩ 원 KRW|₹ INR|Rs RS rs - INR PKR LKR NPR MUR SCR|₨ - PKR INR LKR NPR MUR
रु रू रुपये रुपए - INR NPR|Tk TK tk taka ৳ টাকা BDT|රු LKR|₫ đ vnđ VND|₭ LAK|៛ KHR|฿ บาท THB|Rp RP rp IDR|RM MYR|₱ PHP|₮ MNT
₸ тг тенге KZT|сум UZS|Kr KR kr - SEK NOK DKK ISK|Kč KČ kč Kc KC kc CZK|Ft FT HUF|zł ZŁ Zł zl PLN|lei leu - RON MDL|лв BGN
kn HRK|din дин - RSD MKD|ден MKD|lek ALL|₽ RUB|руб рублей рубля рубль р Р - RUB BYN|₴ грн гривень UAH|₺ TL tl Tl TRY
₾ ლ GEL|₼ AZN|֏ AMD|Fr fr FR sfr CHF|₪ ש"ח שח ש״ח ILS|درهم - AED MAD|دإ dhs AED|DH Dh dh - MAD AED|دم MAD
ريال - SAR QAR OMR YER IRR|رس SR SAR|﷼ - IRR SAR QAR OMR YER|رق QR QAR|رع OMR|جنيه - EGP SDG|جم LE EGP|تومان IRT|ریال IRR
دينار - KWD BHD JOD LYD TND IQD DZD|دك KD KWD|دب BD BHD|دت DT TND|دج DA DZD|دع IQD|دأ JD JOD|دل LYD
dólares dólar dolares dolar dollari dollaro долларов доллара доллар доларів doları dolari dólarů δολάρια डॉलर دولار USD CAD AUD NZD HKD SGD
libras libra sterline पाउंड GBP|евро євро ευρώ यूरो يورو eur eura eurot euroa evro EUR|युआन yuan yuanes юаней CNY|yen yenes येन иен JPY
rupees rupee रुपया - INR PKR LKR NPR MUR|reais BRL|francs franc franken franchi francos फ़्रैंक - CHF
kronor krona SEK|kroner krone - NOK DKK|koruna korun koruny CZK|forint HUF|złotych złote złoty PLN|won KRW|baht THB|ringgit MYR|rupiah IDR|riyal SAR
liras lira lirası TRY|shekel shekels ILS|usd USD|gbp GBP|jpy JPY|cny CNY|cad CAD|aud AUD|chf CHF|nzd NZD|hkd HKD|sgd SGD|sek SEK|nok NOK|dkk DKK
inr INR|brl BRL|mxn MXN|pln PLN|czk CZK|huf HUF|uah UAH|zar ZAR|thb THB|idr IDR|myr MYR|vnd VND|aed AED|twd TWD|krw KRW
₦ NGN|₵ gh₵ gh¢ GHS|ksh kshs KES|tsh TZS|ush UGX|pesos peso - MXN ARS CLP COP PHP UYU
`;

/** Words of scripts without spaces, which need no boundary after them. */
const UNSPACED = new Map(
  `美元 USD|美金 USD|欧元 EUR|歐元 EUR|英镑 GBP|英鎊 GBP|日元 JPY|日圆 JPY|日円 JPY|港元 HKD|港币 HKD|港幣 HKD|韩元 KRW|台币 TWD|新台幣 TWD|人民元 CNY|人民币 CNY|人民幣 CNY
加元 CAD|加拿大元 CAD|澳元 AUD|澳大利亚元 AUD|新加坡元 SGD|瑞士法郎 CHF|泰铢 THB|卢布 RUB|ドル USD|米ドル USD|カナダドル CAD|豪ドル AUD|オーストラリアドル AUD|香港ドル HKD|ユーロ EUR|ポンド GBP|ウォン KRW
달러 USD|미국 달러 USD|캐나다 달러 CAD|호주 달러 AUD|홍콩 달러 HKD|유로 EUR|파운드 GBP|엔 JPY|위안 CNY|元 -CNY|円 JPY|원 KRW`
    .split(/[|\n]/)
    .map((entry): [string, readonly string[]] => {
      const at = entry.lastIndexOf(' ');
      const code = entry.slice(at + 1);
      return [
        entry.slice(0, at),
        code === '-CNY'
          ? ['CNY', 'TWD', 'HKD']
          : code === 'USD' && /^(?:ドル|달러)$/.test(entry.slice(0, at))
            ? DOLLARS
            : [code],
      ];
    }),
);
const UNSPACED_AFTER = new RegExp(
  `^\\s*(${[...UNSPACED.keys()].sort((a, b) => b.length - a.length).join('|')})`,
  'u',
);

/** Countries of a dollar, as words beside it. */
const OF_COUNTRY: readonly (readonly [RegExp, string])[] = [
  [/canad|캐나다|कनाडा|каnад|канад/iu, 'CAD'],
  [/austral|австрал|호주|ऑस्ट्रेलिया/iu, 'AUD'],
  [/hong\s?kong|홍콩|हांगकांग|हॉन्ग/iu, 'HKD'],
  [/new zealand|neuseel|nueva zeland|nova zeland|nieuw-?zeeland|neozeland|néo-zéland/iu, 'NZD'],
  [/singap|싱가포르/iu, 'SGD'],
  [/taiwan|대만/iu, 'TWD'],
  [/\bus\b|u\.s\.|americ|améric|amerik|estadounid|अमेरिकी|미국/iu, 'USD'],
];

function isCode(word: string): boolean {
  return word === '-' || /^[A-Z]{3}$/.test(word);
}

function signsOf(table: string): Map<string, readonly string[]> {
  return new Map(
    table
      .trim()
      .split(/[|\n]/)
      .flatMap((entry) => {
        const words = entry.trim().split(' ');
        const codes = words.filter(isCode);
        return words.filter((word) => !isCode(word)).map((word): [string, string[]] => [word, codes]);
      }),
  );
}

const SIGNS = signsOf(TABLE);

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
/** Codes that are English words, which stand before many numbers. */
const WORDS: ReadonlySet<string> = new Set([
  'ALL',
  'TOP',
  'TRY',
  'CUP',
  'MOP',
  'PEN',
  'GEL',
  'LAK',
  'SOS',
  'won',
]);

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
  // `NZD$`, `mxn$`
  const coded = /^([A-Za-z]{3})\p{Sc}$/u.exec(word)?.[1]?.toUpperCase();
  if (coded !== undefined && CODES.has(coded)) return [coded];
  return SIGNS.get(word) ?? (/^[a-z]{1,2}$/i.test(word) ? undefined : SIGNS.get(word.toLowerCase()));
}

const BEFORE =
  /(?<![\p{L}\p{M}])((?:[\p{L}\p{M}.]{0,4}[\p{Sc}¢]\p{L}?|\p{L}[\p{L}\p{M}."״]{0,9}|[SBC]\/)\.?)\s*$/u;
const AFTER = /^\s*([\p{Sc}¢](?:[A-Z]{2,3})?|\p{L}[\p{L}\p{M}."״]{0,9}\p{Sc}?)(?![\p{L}\p{M}])/u;

const UNKNOWN: Currency = ['-'];

/** The sign, word or code that ends a text, and what stands before it. */
function lastSign(text: string): { currency: Currency; rest: string } | undefined {
  const match = BEFORE.exec(text);
  const word = match?.[1];
  if (match === null || word === undefined) return undefined;
  const rest = text.slice(0, match.index);
  const sign = lookUp(/[\p{Sc}¢]\.?$/u.exec(word)?.[0] ?? '');
  // Letters that are glued to a sign name one of its currencies: `XX$5` is of an unknown one.
  const isNamed = sign !== undefined && sign.length > 1 && /\p{Script=Latin}/u.test(word);
  const currency = lookUp(word) ?? (isNamed ? UNKNOWN : sign);
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

const DOLLAR_WORD = /doll|dólar|डॉलर/i;

/** The country beside a dollar's word: `Canadian dollars`, `dólares de Hong Kong`; undefined when none is named. */
function countryOf(text: string): Currency | undefined {
  const found = OF_COUNTRY.find(([name]) => name.test(text));
  return found === undefined ? undefined : [found[1]];
}

/** A word after an amount: an abbreviation, or alone: ` US`, ` (AUD)`, ` Canadian`. */
const NAMING = /^\s?\(?([A-Z]{2,3}(?![\p{L}\p{M}])|\p{L}{2,}\.?(?=\)?\s*(?:$|[^\s\p{L}\p{M}\d])))/u;

/** The one of a sign's currencies that the word after the amount names; undefined when it names none. */
function namedAfter(currency: Currency, after: string): Currency | undefined {
  const word = NAMING.exec(after.slice(0, 28))?.[1] ?? '';
  const named =
    word === '' || currency.length === 1
      ? undefined
      : (lookUp(`${word}$`) ?? lookUp(word) ?? countryOf(word));
  return named?.length === 1 && currency.includes(named[0] ?? '') ? named : undefined;
}

function firstSign(text: string): { currency: Currency; length: number } | undefined {
  const unspaced = /^\s*[\u3000-\uD7FF]/.test(text) ? UNSPACED_AFTER.exec(text) : null;
  const known = UNSPACED.get(unspaced?.[1] ?? '');
  if (unspaced !== null && known !== undefined) return { currency: known, length: unspaced[0].length };
  const qualified =
    DOLLAR_WORD.test(text) &&
    /^\s*(?:\p{L}[\p{L}\p{M}.]*\s){1,2}(?=(?:dollars?|dólar|डॉलर|dollari?)(?![\p{L}]))/iu.exec(text);
  const country = qualified ? countryOf(qualified[0]) : undefined;
  if (qualified && country !== undefined)
    return {
      currency: country,
      length:
        qualified[0].length + (/^[\p{L}\p{M}]+/u.exec(text.slice(qualified[0].length))?.[0].length ?? 0),
    };
  const match = AFTER.exec(text);
  const currency = match?.[1] === undefined ? undefined : lookUp(match[1]);
  if (match === null || currency === undefined) return undefined;
  const { length } = match[0];
  const next = /^[\d.,]+/.exec(text.slice(length))?.[0].length;
  // In `6 $12`, the dollar belongs to the second number, but not in `6 $12 $`.
  const near = text.slice(length, length + 28);
  if (currency[0] === 'USD' && currency.length > 1 && /\p{L}$/u.test(match[0])) {
    const named = /^\s(?:(?:de|of|della?|di)\s)?[\p{L}\p{M}-]+(?:\s[\p{L}\p{M}-]+)?/u.exec(near)?.[0] ?? '';
    const code = countryOf(named);
    if (code !== undefined) return { currency: code, length: length + named.length };
  }
  const isNext = next !== undefined && /^\s/.test(text) && !AFTER.test(text.slice(length + next));
  return isNext ? undefined : { currency, length };
}

/** The currency that begins the text after a number: ` €`, ` руб.`, `円`; undefined when none does. */
export function currencyAfter(after: string): Currency | undefined {
  const near = after.slice(0, 40);
  const first = firstSign(near);
  if (first === undefined) return undefined;
  const isOpen = first.currency.length > 1 || first.currency[0] === '-';
  const second = isOpen ? firstSign(near.slice(first.length)) : undefined;
  if (second?.currency.length === 1) return second.currency;
  return namedAfter(first.currency, near.slice(first.length)) ?? first.currency;
}

/** Whether the text between two numbers is the currency of the first and nothing else. */
export function isCurrency(between: string): boolean {
  const first = firstSign(between.slice(0, 24));
  return first !== undefined && between.slice(first.length).trim() === '';
}

/** The currency beside a number; of two signs the one that names a single currency: `$ 5.00 CAD`. */
export function currencyBeside(before: string, after: string): Currency | undefined {
  const [left, right] = [currencyBefore(before), currencyAfter(after)];
  if (left !== undefined && right === undefined) return namedAfter(left, after) ?? left;
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

/** Hundredths of currencies by their words and signs, as in the table of signs; `gr@pl` counts in that language alone. */
const HUNDREDTHS = signsOf(`
¢ USD CAD AUD|cent cents cts - USD EUR CAD AUD|ct eurocent eurocents EUR|p pence GBP|öre SEK|øre - NOK DKK|kopeks RUB
коп копейка копейки копеек копейку - RUB UAH BYN|копійка копійки копійок UAH|groszy grosze grosz gr@pl PLN|kuruş TRY
centavos centavo - BRL MXN|centimes - EUR CHF|céntimos centimos centesimi cêntimos sentti senttiä EUR|haléřů hal CZK|fillér HUF
paise पैसे INR|セント 센트 सेंट USD|bani ban@ro - RON MDL|rappen rp@de-CH CHF|стотинки стотинка ст@bg BGN
אגורה אגורות ILS|هللة هللات SAR|sen@ms MYR|sen@id IDR
`);
/** The currency of hundredths that begins the text after a number: `¢`, ` öre`, ` €-Cent`; undefined when none does. */
export function hundredthsAfter(after: string, language: string | undefined): Currency | undefined {
  const match = /^(\s?)((?:€|euro|eur)[- ]?)?(¢|\p{L}[\p{L}\p{M}]{0,9})\.?(?![\p{L}\p{M}])/iu.exec(after);
  const [, gap = '', euro, written = ''] = match ?? [];
  // `50 p` are pages.
  if (written === 'p' && gap !== '') return undefined;
  // `50 CT` counts.
  const word = /^.\p{Ll}+$/u.test(written) ? written.toLowerCase() : written;
  const places = language === undefined ? [] : [`@${language}`, `@${language.split('-')[0]}`];
  const currency = ['', ...places].map((place) => HUNDREDTHS.get(word + place)).find(Boolean);
  if (euro === undefined) return currency;
  return currency?.includes('EUR') === true ? ['EUR'] : undefined;
}
