import { AppError } from '@gleaner/contracts';

/** Deeper than any schema or input. Deeper values would use too much stack when they are copied, hashed or walked. */
const MAX_DEPTH = 200;
/** More than any schema names. An object with many more names takes a hundred times the memory of its text. */
const MAX_NAMES = 10_000;

/** Values of a JSON text, where a caller names no limit of its own. */
export const DEFAULT_JSON_VALUES = 200_000;

/**
 * What makes a JSON text too large to parse, in words; undefined when nothing does. Counts commas and brackets outside
 * of strings, so that a refused text costs no memory.
 * @param mostValues items, members, lists and objects at all levels together
 */
export function findJsonExcess(json: string, mostValues = DEFAULT_JSON_VALUES): string | undefined {
  /** By level: the names so far, or minus one for a list. */
  const names: number[] = [];
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(json, at);
    } else if (code === 0x7b || code === 0x5b) {
      if (names.length === MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
      names.push(code === 0x7b ? 1 : -1);
      values += 1;
    } else if (code === 0x7d || code === 0x5d) {
      names.pop();
    } else if (code === 0x2c) {
      values += 1;
      const last = names.length - 1;
      const count = names[last] ?? -1;
      if (count === MAX_NAMES) return `an object has more than ${MAX_NAMES} fields`;
      if (count > 0) names[last] = count + 1;
    }
    if (values > mostValues) return `it has more than ${mostValues} values`;
  }
  return undefined;
}

/** @throws AppError invalid_request when a JSON text is too large to parse; see `findJsonExcess` */
export function checkJsonSize(json: string, field: string, mostValues?: number): void {
  const detail = findJsonExcess(json, mostValues);
  if (detail !== undefined) throw new AppError('invalid_request', { field, detail });
}

/** Index of the quote that ends the string which begins at `start`; the text's end when none does. */
function endOfString(json: string, start: number): number {
  let end = start;
  for (;;) {
    end = json.indexOf('"', end + 1);
    if (end === -1) return json.length;
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}
