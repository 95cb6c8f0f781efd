import { invalid } from '../invalid-request.ts';
import { randomInt } from 'node:crypto';

/** Deeper than any schema or input. Deeper values would use too much stack when they are copied, hashed or walked. */
const MAX_DEPTH = 200;
/** Schemas name fewer. An object with many more names takes a hundred times the memory of its text. */
const MAX_NAMES = 10_000;

/** Copies of objects with more names are hash tables, which take several times the memory of a list. */
const CHEAP_NAMES = 12;
/** Number of values that such a name counts as. */
const VALUES_OF_NAME = 5;
/** Tables have fewer columns. Objects with names of their own share no shape, and each name is a text. */
const MAX_DIFFERENT_NAMES = 50_000;
/** Shorter texts can't have enough different names to matter. */
const SHORT_TEXT = 1_000_000;
/** A secret factor, so that nobody can choose names that are counted as one. */
const FACTOR = randomInt(2 ** 31) * 2 + 1;

/** Values of a JSON text, where a caller names no limit of its own. */
export const DEFAULT_JSON_VALUES = 200_000;

/**
 * What makes a JSON text too large to parse, in words; undefined when nothing does. Counts commas and brackets outside
 * of strings, so that a refused text costs no memory.
 * @param mostValues items, members, lists and objects at all levels together
 */
export function findJsonExcess(json: string, mostValues = DEFAULT_JSON_VALUES): string | undefined {
  /** For each level: the number of names so far, or minus one for a list. */
  const names: number[] = [];
  const different = json.length > SHORT_TEXT ? countDifferent() : undefined;
  let values = 0;
  let textFrom = 0;
  let textTo = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      textFrom = at + 1;
      at = endOfString(json, at);
      textTo = at;
    } else if (code === 0x3a) {
      if (different !== undefined && different(json, textFrom, textTo) > MAX_DIFFERENT_NAMES)
        return `it has more than ${MAX_DIFFERENT_NAMES} different names`;
    } else if (code === 0x7b || code === 0x5b) {
      if (names.length === MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
      names.push(code === 0x7b ? 1 : -1);
      values += 1;
    } else if (code === 0x7d || code === 0x5d) {
      names.pop();
    } else if (code === 0x2c) {
      const last = names.length - 1;
      const count = names[last] ?? -1;
      if (count === MAX_NAMES) return `an object has more than ${MAX_NAMES} fields`;
      if (count > 0) names[last] = count + 1;
      values += count < CHEAP_NAMES ? 1 : VALUES_OF_NAME;
    }
    if (values > mostValues) return `it has more than ${mostValues} values`;
  }
  return undefined;
}

/** @throws AppError invalid_request when a JSON text is too large to parse; see `findJsonExcess` */
export function checkJsonSize(json: string, field: string, mostValues?: number): void {
  const detail = findJsonExcess(json, mostValues);
  if (detail !== undefined) throw invalid(field, detail);
}

/** Looked at one by one before the next quote is searched, which is faster only in long texts without escapes. */
const PLAIN_RUN = 64;

/** Index of the quote that ends the string which begins at `start`; the text's end when none does. */
function endOfString(json: string, start: number): number {
  let plain = 0;
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) {
      at += 1;
      plain = 0;
      continue;
    }
    plain += 1;
    if (plain < PLAIN_RUN) continue;
    plain = 0;
    const quote = json.indexOf('"', at);
    if (quote === -1) return json.length;
    let slashes = 0;
    while (json.charCodeAt(quote - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return quote;
    at = quote;
  }
  return json.length;
}

/** Counts different parts of a text, without keeping them. Parts with equal hashes count once. */
function countDifferent(): (text: string, from: number, to: number) => number {
  const seen = new Uint8Array(2 ** 20);
  let count = 0;
  return (text, from, to) => {
    let hash = FACTOR;
    for (let at = from; at < to; at += 1)
      hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR) ^ (hash >>> 15);
    const slot = Math.imul(hash, FACTOR) >>> 12;
    if (seen[slot] === 0) {
      seen[slot] = 1;
      count += 1;
    }
    return count;
  };
}
