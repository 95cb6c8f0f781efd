import { distanceWordsIn, type DistanceWords, type Unit } from './tables/distance-words.ts';

/** A part of a distance in time: 20 minutes. */
interface Term {
  count: number;
  unit: Unit;
}

export interface TimeDistance {
  terms: Term[];
  sign: 1 | -1;
}

/** Words that make a distance no other one: about, nearly. */
const ABOUT =
  /(?<![\p{L}\p{M}])(?:about|around|approximately|almost|nearly|circa|ca|etwa|ungefähr|rund|environ|cerca de|cerca|unos|unas|aproximadamente|aprox|около|примерно|приблизно|близько|yaklaşık|ungefär|omkring|cirka|noin|około|ok|aproximativ|asi|zhruba|körülbelül|περίπου|حوالي|تقريبا|ongeveer|okolo)(?![\p{L}\p{M}])(?=\s?(?:\d|\p{L}))|^(?:約|约|大约|약)\s?/giu;
const SEPARATOR =
  /^(?:\s|,|，|、|،|;)+|^(?:and|und|et|y|e|ed|en|och|og|ja|i|a|ve|и|і|та|και|și|si|és|un|ir|و|と|和|وَ)(?=\s)/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** A text with more terms is no distance. */
const MOST_TERMS = 8;

function isBoundary(text: string, at: number, inside: string): boolean {
  return UNSPACED.test(inside) || !/[\p{L}\p{M}]/u.test(text.charAt(at));
}

/** The longest word of a list that begins the text and ends there. */
function longest(text: string, words: Iterable<string>): string | undefined {
  let found: string | undefined;
  for (const word of words)
    if (word.length > (found?.length ?? 0) && text.startsWith(word) && isBoundary(text, word.length, word))
      found = word;
  return found;
}

function readTerm(
  text: string,
  words: DistanceWords,
  isAlone: boolean,
): { term: Term; length: number } | undefined {
  const whole = longest(text, words.whole.keys());
  const [count, unit] = words.whole.get(whole ?? '') ?? [];
  if (whole !== undefined && count !== undefined && unit !== undefined)
    return { term: { count, unit }, length: whole.length };
  const digits = /^\d+(?:[.,]\d+)?/.exec(text)?.[0];
  const number = digits ?? longest(text, words.numbers.keys());
  let size = digits === undefined ? words.numbers.get(number ?? '') : Number(digits.replace(',', '.'));
  let length = number?.length ?? 0;
  if (number === undefined) {
    // `неделю назад`: one.
    if (!isAlone || UNSPACED.test(text)) return undefined;
    size = 1;
  }
  length += /^[\s-]*/.exec(text.slice(length))?.[0].length ?? 0;
  const word = longest(text.slice(length), words.units.keys());
  const named = words.units.get(word ?? '');
  if (word === undefined || named === undefined || size === undefined) return undefined;
  return { term: { count: size, unit: named }, length: length + word.length };
}

function readTerms(written: string, words: DistanceWords): Term[] | undefined {
  const terms: Term[] = [];
  let text = written.trim();
  while (text !== '' && terms.length < MOST_TERMS) {
    const separator = SEPARATOR.exec(text)?.[0];
    if (separator !== undefined && terms.length > 0) {
      text = text.slice(separator.length);
      continue;
    }
    const found = readTerm(text, words, terms.length === 0 && !/\d/.test(text));
    if (found === undefined || terms.some(({ unit }) => unit === found.term.unit)) return undefined;
    terms.push(found.term);
    text = text.slice(found.length);
  }
  return text === '' && terms.length > 0 ? terms : undefined;
}

/** The text without a word of direction at its start or end; undefined where it has none. */
function withoutDirection(text: string, words: readonly string[]): string | undefined {
  for (const word of words) {
    const [head = '', tail] = word.split(' ');
    // Swedish and Danish put a distance between two words: `för 3 dagar sedan`.
    if (tail !== undefined && /^(?:för|for)$/.test(head)) {
      if (text.startsWith(`${head} `) && text.endsWith(` ${tail}`))
        return text.slice(head.length, -tail.length);
      continue;
    }
    if (text.startsWith(word) && isBoundary(text, word.length, word)) return text.slice(word.length);
    const end = text.length - word.length;
    if (text.endsWith(word) && (UNSPACED.test(word) || /\s/.test(text.charAt(end - 1))))
      return text.slice(0, end);
  }
  return undefined;
}

/** A text as words of distances are looked up in it. */
function plainDistance(written: string): string {
  return written
    .toLowerCase()
    .replaceAll(/[\u200E\u200F]/g, '')
    .replaceAll(/['’׳״]s?(?=[\s\p{L}])/gu, ' ')
    .replaceAll(/(?<!\d)\.|\.(?!\d)/g, ' ')
    .replaceAll(ABOUT, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/ time$/, '');
}

function distanceIn(text: string, words: DistanceWords): TimeDistance | undefined {
  for (const [sign, directions] of [
    [-1, words.past],
    [1, words.future],
  ] as const) {
    const rest = withoutDirection(text, directions);
    const terms = rest === undefined ? undefined : readTerms(rest, words);
    if (terms !== undefined) return { terms, sign };
  }
  return undefined;
}

/** Reads a text that is a distance in time and nothing else: `1 hr 20 min ago`, `vor etwa 5 Stunden`, `3달 전`. */
export function readDistance(written: string, language: string | undefined): TimeDistance | undefined {
  const text = plainDistance(written);
  for (const one of new Set([language, 'en'])) {
    const words = one === undefined ? undefined : distanceWordsIn(one);
    const found = words && distanceIn(text, words);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads a text that is a length of time and nothing else: `2h 30m`, `90 Minuten`. */
export function readSpan(written: string, language: string | undefined): Term[] | undefined {
  const text = plainDistance(written);
  if (!/\d/.test(text)) return undefined;
  for (const one of new Set([language, 'en'])) {
    const words = one === undefined ? undefined : distanceWordsIn(one);
    const terms = words && readTerms(text, words);
    if (terms !== undefined) return terms;
  }
  return undefined;
}

/** Whether counts with units stand before the rest of a distance: `1 hr` before `20 min ago`, but not `5 min read ·`. */
export function endsWithTerm(before: string, language: string | undefined): boolean {
  const segment = before.split(/[·|•–—;:()\n]/).at(-1) ?? '';
  if (/\d\s*[.,]?$/.test(segment)) return true;
  return [...segment.matchAll(/\d[\s-]*([\p{L}\p{M}]+)/gu)].some(([, word = '']) => isUnit(word, language));
}

/** Whether a count with a unit begins the text. */
export function startsWithTerm(after: string, language: string | undefined): boolean {
  const word = /^[\s,，、.]*(?:[\p{L}\p{M}]{1,3}\s)?\d+[\s-]*([\p{L}\p{M}]+)/u.exec(after)?.[1];
  return word !== undefined && isUnit(word, language);
}

function isUnit(word: string, language: string | undefined): boolean {
  return [language, 'en'].some((one) => {
    const words = one === undefined ? undefined : distanceWordsIn(one);
    return words !== undefined && longest(word.toLowerCase(), words.units.keys()) !== undefined;
  });
}
