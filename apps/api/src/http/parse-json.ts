import { AppError, parseExactJson } from '@gleaner/contracts';
import { checkJsonSize } from '@gleaner/core';

/** A name that sets an object's prototype when it is copied, spelled with or without escapes. */
const FORBIDDEN = '__proto__';
const MAY_HAVE_FORBIDDEN = /__proto__|\\u00(?:5f|70|72|6f|74)/i;

/** The path of the first member with the forbidden name. The value is at most 200 levels deep. */
function findForbidden(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = name === FORBIDDEN && !Array.isArray(value) ? place : findForbidden(inner, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** V8's words without its excerpt of the body: `: Expected property name or '}' at position 7 (line 1 column 8)`. */
function faultOf(error: unknown): string {
  const { message } = error instanceof Error ? error : { message: '' };
  if (message.startsWith('Unexpected end')) return ': it ends too early';
  const place = /at position \d+ \(line \d+ column \d+\)/.exec(message)?.[0];
  const what = /^[A-Z][^".]*?(?=,? (?:at position|in JSON|"))/.exec(message)?.[0];
  return what === undefined ? '' : `: ${[what, place].filter((part) => part !== undefined).join(' ')}`;
}

/**
 * Parses a JSON body. An empty body is undefined.
 * @throws AppError invalid_request with the position of the syntax error, or the forbidden member, or what makes it too large
 * @param mostValues see `Operation.bodyValues`
 */
export function parseJson(text: string, mostValues?: number): unknown {
  if (text.length === 0) return undefined;
  checkJsonSize(text, 'body', mostValues);
  let value: unknown;
  try {
    value = parseExactJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new AppError('invalid_request', {
      field: 'body',
      detail: `the text is not valid JSON${faultOf(error)}`,
      hint: 'Send one JSON value in double quotes and without trailing commas.',
    });
  }
  const forbidden = MAY_HAVE_FORBIDDEN.test(text) ? findForbidden(value, '') : undefined;
  if (forbidden === undefined) return value;
  throw new AppError('invalid_request', { field: forbidden, detail: 'the name __proto__ is not allowed' });
}
