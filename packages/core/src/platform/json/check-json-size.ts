import { AppError } from '@gleaner/contracts';

/** Deeper than any schema or input. Deeper values would use too much stack when they are copied, hashed or walked. */
const MAX_JSON_DEPTH = 200;

/** Reads brackets outside of strings, without parsing. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(json, at);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
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

export function tooDeep(): AppError {
  return new AppError('invalid_request', {
    field: 'body',
    detail: `it is nested deeper than ${MAX_JSON_DEPTH} levels`,
  });
}
