import { numberTable } from './number-table.ts';

/** Powers of ten of the words that follow a number. */
const WORDS = numberTable(`
thousand tsd tausend mille mil mila duizend tusen tys tis bin тыс тысяч тис ألف हज़ार 3|lakh lakhs lac लाख 5
million millions mln mn mio millionen millón millones milhão milhões mi milione milioni miljoen miljon miljoner mkr 6
milyon млн مليون 6|crore crores cr करोड़ 7|billion billions bn bln mrd milliarde milliarden md mds milliard milliards 9
bilhão bilhões miliardo miliardi miljard mia mld milyar млрд مليار 9|trillion tn 12
`);

/** East Asian units need no boundary after them: 1.2万円. */
const EAST_ASIAN = numberTable('千 천 3|万 萬 만 4|億 亿 억 8|兆 12');

/** The power of ten that the text after a number names, 0 for none. */
function powerOf(after: string, hasCurrency: boolean): number {
  // Apart from the number, these letters mean something else.
  const attached = /^[kKB](?![\p{L}\d])/u.exec(after)?.[0];
  if (attached !== undefined) return attached === 'B' ? 9 : 3;
  const eastAsian = EAST_ASIAN.get(after.trimStart().charAt(0));
  if (eastAsian !== undefined) return eastAsian;
  const word = /^ ?([\p{L}\p{M}]+)/u.exec(after)?.[1];
  // `499 MN` and `499 M.N.` are Mexican pesos.
  if (word === undefined || /^ ?M\.?N/.test(after)) return 0;
  // A lone m often means metres or minutes, so only the capital means millions.
  if (word.length === 1) return word === 'M' ? 6 : 0;
  const lowered = word.toLowerCase();
  // Some two-letter words are ambiguous: "5 mi" are miles and "5 cr" credits.
  if (lowered === 'mi' || lowered === 'cr' || lowered === 'md')
    return after.startsWith(' ') && !(hasCurrency && lowered === 'cr') ? 0 : (WORDS.get(lowered) ?? 0);
  // `2 bin bags`: "bin" is Turkish for a thousand only before a currency or at the end.
  if (lowered === 'bin' && !/^ ?bin(?:\s*(?:\p{Sc}|TL\b|TRY\b)|\s*$)/iu.test(after)) return 0;
  return WORDS.get(lowered) ?? 0;
}

/**
 * The power of ten that the text after a number names, and what follows it in the same number: `3e5`, `1.2M`, `1万2千`.
 * @param hasCurrency whether a currency stands beside the number
 */
export function readMultiplier(after: string, hasCurrency: boolean): { power: number; more: number } {
  const exponent = /^[eE]([+-]?\d{1,3})(?![\p{L}\d])/u.exec(after);
  const power = exponent === null ? powerOf(after, hasCurrency) : Number(exponent[1]);
  let more = 0;
  if (!EAST_ASIAN.has(after.charAt(0))) return { power, more };
  for (const [, digits = '', unit = ''] of after.slice(1).matchAll(/(\d{1,8})([千천万萬만億亿억]?)/gy))
    more += Number(digits) * 10 ** (EAST_ASIAN.get(unit) ?? 0);
  return { power, more };
}
