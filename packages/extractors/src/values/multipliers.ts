import { RAISED_DIGITS } from '@gleaner/html';
import { currencyAfter, currencyBefore } from './currencies.ts';
import { commonScale, plainWord, scalesIn } from './tables/scale-words.ts';

/** What the text after a number multiplies it by. */
export interface Scale {
  /** The power of ten; 0 for none. */
  power: number;
  /** Characters of the words. */
  length: number;
  hasExponent?: true;
  /** It could be a multiplier or something else. */
  isUnclear?: true;
}

const NONE: Scale = { power: 0, length: 0 };
const UNCLEAR: Scale = { power: 0, length: 0, isUnclear: true };
const WORD = /^( {0,2})([\p{L}\p{M}॰]+\.?)/u;
const UNSPACED = /^\s?([\p{Script=Thai}]+)/u;
const HALF =
  /^ (?:y|e|et|и|und|og|och)\s(?:medi[oa]|mei[oa]|mezzo|demi[e]?|halb|половин\p{L}*|halv\p{L}*)(?!\p{L})/u;

/** What is no power of ten. */
const DOZEN =
  /^\s?(?:dozens?|düzine|dutzend|douzaines?|docenas?|dúzias?|dozzin[ae]|dussin|dozijn|tucet|tuzin|tucat|дюжин\p{L}*|दर्जन|角|打|ダース|다스)(?!\p{L})/iu;

const LETTERS: ReadonlyMap<string, number> = new Map([
  ['M', 6],
  ['B', 9],
  ['T', 12],
]);

/** `1.5×10⁶`, `1.5 x 10^6` */
const POWER = /^\s?[×x*]\s?10(?:\^([+-]?\d{1,3})|([⁺⁻]?)([⁰¹²³⁴-⁹]{1,3}))(?![\d⁰¹²³⁴-⁹])/u;

function readPower(after: string): Scale | undefined {
  const [whole, plain, sign, raised = ''] = POWER.exec(after) ?? [];
  if (whole === undefined) return undefined;
  const digits = Array.from(raised, (digit) => RAISED_DIGITS.indexOf(digit)).join('');
  return {
    power: Number(plain ?? `${sign === '⁻' ? '-' : ''}${digits}`),
    length: whole.length,
    hasExponent: true,
  };
}

/** Thousands and millions that are glued to a currency: `500 TEUR`, `2 MSEK`, `5 tkr`, `5 K€`. */
const GLUED =
  /^ {0,2}(?:([kKT])(?=€)|([kKTtMm])(?=(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|kr)(?![\p{L}\p{M}])))/u;

/** Before a number that is a part of a name: `i9-13900K`, `B2B`, `HDMI 2M`. */
const NAME_BEFORE = /(?:[\p{Script=Latin}\p{Script=Cyrillic}]|\p{L}\d*-|(?<![\p{L}\p{M}])\p{Lu}{2,4}\s)$/u;
/** After one: `2M HDMI`. */
const NAME_AFTER = /^\s\p{Lu}{2,4}(?![\p{L}\p{M}])/u;
/** A number of a house or a section: `Apt 12B`, `221B Baker Street`. */
const PLACE_BEFORE = /(?<![\p{L}\p{M}])\p{Lu}\p{L}*\.?\s#?$/u;
const PLACE_AFTER = /^\s\p{Lu}\p{Ll}/u;

/** Whether a letter that is glued to a number without a currency is rather a part of a name. */
function isPartOfName(letter: string, before: string, rest: string): boolean {
  if (currencyBefore(before) !== undefined || currencyAfter(rest) !== undefined) return false;
  if (NAME_BEFORE.test(before) || NAME_AFTER.test(rest)) return true;
  return letter === 'B' && (PLACE_BEFORE.test(before) || PLACE_AFTER.test(rest));
}

/** A letter alone, which is a multiplier where nothing parts it from the number: `1.2M`. */
function readLetter(
  letter: string,
  gap: string,
  rest: string,
  before: string,
  own: ReadonlyMap<string, number>,
): Scale {
  const length = gap.length + 1;
  if (gap !== '') {
    // A lone m often means metres or minutes, so only the capital means millions.
    if (letter === 'M') return { power: own.get('M') ?? 6, length };
    // `₹5 L`, `Rp 1,5 M`
    const known = /\p{Lu}/u.test(letter) ? own.get(letter) : undefined;
    if (known !== undefined && currencyBefore(before) !== undefined) return { power: known, length };
    // `1,2 B`: thousands in Turkish, or bytes.
    if (letter === 'B' && own.has('B')) return UNCLEAR;
    if (letter !== 'k') return NONE;
    // `10 k run`: kilometres.
    return /^\s*(?:$|[^\s\p{L}\d])/u.test(rest) ? { power: 3, length } : UNCLEAR;
  }
  // `1.2b`: a billion, or the name of a part.
  if (letter === 'b') return UNCLEAR;
  if (letter === 'T' && currencyBefore(before) === undefined) return NONE;
  const power = /[kK]/.test(letter)
    ? 3
    : /[MBTENL]/.test(letter)
      ? (own.get(letter) ?? LETTERS.get(letter))
      : undefined;
  if (power === undefined) return NONE;
  return isPartOfName(letter, before, rest) ? UNCLEAR : { power, length };
}

/** Whether the text before a number ends with a sign for rupees or taka. */
function isOfRupees(before: string): boolean {
  return currencyBefore(before)?.some((code) => /^(?:INR|PKR|NPR|LKR|BDT)$/.test(code)) === true;
}

/** A word of two letters or more; undefined for one that is no multiplier here. */
function readWord(
  word: string,
  gap: string,
  rest: string,
  before: string,
  own: ReadonlyMap<string, number>,
): number | 'unclear' | undefined {
  const plain = plainWord(word);
  // `499 MN` and `499 M.N.` are Mexican pesos.
  if (/^M\.?N/.test(word)) return undefined;
  // Miles in Portuguese too: `10 mi por hora`.
  if (plain === 'mi' && own.has('mi') && !/^(?:\s*$|\s+de\s|\s+e\s\d|\s*\p{Sc})/u.test(rest))
    return undefined;
  const known = own.get(plain);
  if (known !== undefined) return known;
  // Some short words are ambiguous: "5 mi" are miles and "5 cr" credits.
  if (plain === 'cr') return isOfRupees(before) ? commonScale(plain) : gap === '' ? 'unclear' : undefined;
  if (plain === 'mi' || plain === 'md') return gap === '' ? commonScale(plain) : undefined;
  // `2 bin bags`: "bin" is Turkish for a thousand only before a currency or at the end.
  if (plain === 'bin' && !/^(?:\s*(?:\p{Sc}|TL\b|TRY\b)|\s*$)/iu.test(rest)) return undefined;
  return commonScale(plain);
}

/**
 * The power of ten that the text after a number names: `3e5`, `1.2M`, `2 mil millones`. Words count as the language has
 * them: `mil.` is a thousand in Spanish and a million in Croatian.
 * @param before the text before the number, whose end can be a currency
 */
export function readScale(after: string, before: string, language: string | undefined): Scale {
  const exponent = /^[eE]([+-]?\d{1,3})(?![\p{L}\d])/u.exec(after);
  if (exponent !== null) return { power: Number(exponent[1]), length: exponent[0].length, hasExponent: true };
  const power10 = readPower(after);
  if (power10 !== undefined) return power10;
  if (!/^\s{0,2}\p{L}/u.test(after)) return NONE;
  const glued = GLUED.exec(after);
  if (glued !== null) return { power: /[Mm]/.test(glued[0]) ? 6 : 3, length: glued[0].length };
  const own = scalesIn(language);
  const thai = UNSPACED.exec(after);
  if (thai !== null) {
    const word = [...own.keys()]
      .filter((one) => thai[1]?.startsWith(one))
      .sort((a, b) => b.length - a.length)[0];
    return word === undefined
      ? NONE
      : { power: own.get(word) ?? 0, length: thai[0].indexOf(word) + word.length };
  }
  const match = WORD.exec(after);
  if (match === null) return NONE;
  if (/^\s?[dtдद角打ダ다]/iu.test(after) && DOZEN.test(after)) return UNCLEAR;
  const [whole, gap = '', word = ''] = match;
  const rest = after.slice(whole.length);
  const isLetter = /^\p{L}\.?$/u.test(word);
  const letter = isLetter ? readLetter(word.charAt(0), gap, rest, before, own) : undefined;
  const power = letter?.power ?? readWord(word, gap, rest, before, own);
  // `A1B2`, `1tr2`: digits on both sides.
  if (power === 'unclear' || (power !== undefined && power > 0 && /^\d/.test(rest))) return UNCLEAR;
  if (letter !== undefined) return letter;
  if (power === undefined) return NONE;
  // A thousand of a larger word: `mil millones`, `लाख करोड़`.
  const next = power < 6 ? WORD.exec(rest) : null;
  const more =
    next?.[1] === undefined || next[1] === '' || (next[2]?.length ?? 0) < 2
      ? undefined
      : (own.get(plainWord(next[2] ?? '')) ?? commonScale(next[2] ?? ''));
  const length = whole.length + (more !== undefined && more >= 6 ? (next?.[0].length ?? 0) : 0);
  const sum = more !== undefined && more >= 6 ? power + more : power;
  return HALF.test(after.slice(length)) ? UNCLEAR : { power: sum, length };
}
