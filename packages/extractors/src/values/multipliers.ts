/** Powers of ten of the words that follow a number. Those in ATTACHED mean something else after a space. */
const ATTACHED: Readonly<Record<string, number>> = { k: 3, K: 3, B: 9 };

const WORDS: Readonly<Record<string, number>> = {
  M: 6,
  thousand: 3,
  million: 6,
  millions: 6,
  mln: 6,
  mn: 6,
  billion: 9,
  billions: 9,
  bn: 9,
  bln: 9,
  trillion: 12,
  tn: 12,
  lakh: 5,
  lakhs: 5,
  lac: 5,
  crore: 7,
  crores: 7,
  cr: 7,
  tsd: 3,
  tausend: 3,
  mio: 6,
  millionen: 6,
  mrd: 9,
  milliarde: 9,
  milliarden: 9,
  mille: 3,
  md: 9,
  mds: 9,
  milliard: 9,
  milliards: 9,
  mil: 3,
  millón: 6,
  millones: 6,
  milhão: 6,
  milhões: 6,
  mi: 6,
  bilhão: 9,
  bilhões: 9,
  mila: 3,
  milione: 6,
  milioni: 6,
  miliardo: 9,
  miliardi: 9,
  duizend: 3,
  miljoen: 6,
  miljard: 9,
  tusen: 3,
  miljon: 6,
  miljoner: 6,
  mkr: 6,
  mia: 9,
  tys: 3,
  mld: 9,
  tis: 3,
  bin: 3,
  milyon: 6,
  milyar: 9,
  тыс: 3,
  тысяч: 3,
  млн: 6,
  млрд: 9,
  тис: 3,
  ألف: 3,
  مليون: 6,
  مليار: 9,
  हज़ार: 3,
  लाख: 5,
  करोड़: 7,
};

/** East Asian units need no boundary after them: 1.2万円. */
const EAST_ASIAN: Readonly<Record<string, number>> = {
  千: 3,
  천: 3,
  万: 4,
  萬: 4,
  만: 4,
  億: 8,
  亿: 8,
  억: 8,
  兆: 12,
};

/** The power of ten that the text after a number names, 0 for none. */
function powerOf(after: string, hasCurrency: boolean): number {
  const attached = /^[kKB](?![\p{L}\d])/u.exec(after)?.[0];
  if (attached !== undefined) return ATTACHED[attached] ?? 0;
  const eastAsian = EAST_ASIAN[after.trimStart().charAt(0)];
  if (eastAsian !== undefined) return eastAsian;
  const word = /^ ?([\p{L}\p{M}]+)/u.exec(after)?.[1];
  // `499 MN` and `499 M.N.` are Mexican pesos.
  if (word === undefined || /^ ?M\.?N/.test(after)) return 0;
  // A lone m often means metres or minutes, so only the capital means millions.
  if (word.length === 1) return word === 'M' ? 6 : 0;
  const lowered = word.toLowerCase();
  // Some two-letter words are ambiguous: "5 mi" are miles and "5 cr" credits.
  if (lowered === 'mi' || lowered === 'cr' || lowered === 'md')
    return after.startsWith(' ') && !(hasCurrency && lowered === 'cr') ? 0 : (WORDS[lowered] ?? 0);
  // `2 bin bags`: "bin" is Turkish for a thousand only before a currency or at the end.
  if (lowered === 'bin' && !/^ ?bin(?:\s*(?:\p{Sc}|TL\b|TRY\b)|\s*$)/iu.test(after)) return 0;
  return WORDS[lowered] ?? 0;
}

/**
 * The power of ten that the text after a number names, and what follows it in the same number: `3e5`, `1.2M`, `1万2千`.
 * @param hasCurrency whether a currency stands beside the number
 */
export function readMultiplier(after: string, hasCurrency: boolean): { power: number; more: number } {
  const exponent = /^[eE]([+-]?\d{1,3})(?![\p{L}\d])/u.exec(after);
  const power = exponent === null ? powerOf(after, hasCurrency) : Number(exponent[1]);
  let more = 0;
  const sign = after.charAt(0);
  if (EAST_ASIAN[sign] === undefined) return { power, more };
  for (const [, digits = '', unit = ''] of after.slice(1).matchAll(/(\d{1,8})([千천万萬만億亿억]?)/gy))
    more += Number(digits) * 10 ** (EAST_ASIAN[unit] ?? 0);
  return { power, more };
}
