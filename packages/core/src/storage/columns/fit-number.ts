import { typeParts } from '@gleaner/contracts';

/** A number as `0.DIGITS × 10^point`, without zeros at either end of its digits. */
interface Decimal {
  sign: string;
  digits: string;
  point: number;
}

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/;

function readDecimal(text: string): Decimal | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] = NUMERAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = whole + fraction;
  let start = 0;
  while (all[start] === '0') start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end -= 1;
  const digits = all.slice(start, end);
  return digits === ''
    ? { sign: '', digits, point: 0 }
    : { sign, digits, point: whole.length - start + Number(exponent) };
}

/** The number without an exponent: equal numbers have equal texts. */
function plainText({ sign, digits, point }: Decimal): string {
  if (digits === '') return '0';
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`;
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${sign}0.${'0'.repeat(-point)}${digits}`;
}

const BYTES: Readonly<Record<string, number>> = { smallint: 2, integer: 4, bigint: 8 };
/** Digits that tell each number of four bytes from its neighbours. */
const REAL_DIGITS = 9;

/** What a `real` shows of the number: the shortest text that gives the same four bytes. */
function shortestReal(value: number): number {
  const stored = Math.fround(value);
  if (!Number.isFinite(stored)) return stored;
  for (let digits = 1; digits < REAL_DIGITS; digits += 1) {
    const short = Number(stored.toPrecision(digits));
    if (Math.fround(short) === stored) return short;
  }
  return Number(stored.toPrecision(REAL_DIGITS));
}

function fitDecimal(number: Decimal, type: string): string | undefined {
  const { digits, point } = number;
  const { base, size, scale = 0 } = typeParts(type);
  const text = plainText(number);
  if (base === 'numeric') {
    if (size === undefined || digits === '') return text;
    return digits.length - point <= scale && point <= size - scale ? text : undefined;
  }
  const bytes = BYTES[base];
  if (bytes !== undefined)
    return point >= digits.length && point < 20 && BigInt.asIntN(bytes * 8, BigInt(text)) === BigInt(text)
      ? text
      : undefined;
  if (base !== 'real' && base !== 'double precision') return undefined;
  const value = base === 'real' ? shortestReal(Number(text)) : Number(text);
  const shown = Number.isFinite(value) ? readDecimal(String(value)) : undefined;
  return shown !== undefined && plainText(shown) === text ? String(value) : undefined;
}

/** A number in Postgres's text form; undefined when the type would change it, or is none for numbers. */
export function fitNumber(value: number, type: string): string | undefined {
  const number = readDecimal(String(value));
  return number === undefined ? undefined : fitDecimal(number, type);
}

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** `fitNumber` of a text with all its digits. */
export function fitNumeral(text: string, type: string): string | undefined {
  const number = PLAIN_NUMBER.test(text) ? readDecimal(text) : undefined;
  return number === undefined ? undefined : fitDecimal(number, type);
}
