import { parseExactJson } from '@gleaner/contracts/values';
import type { Json } from './jsonpath.ts';

const MAX_DEPTH = 500;

/** Thrown only inside this file, when the text is not a literal value. */
class NoValue extends Error {}

function fail(): never {
  throw new NoValue('no value');
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

/** The whole number in decimal or hex digits, as text when a JavaScript number can't hold it exactly. */
function wholeNumber(digits: string): number | string {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  return /^0x/i.test(digits) ? BigInt(digits).toString() : digits.replace(/^0+/, '');
}

interface Cursor {
  readonly text: string;
  at: number;
}

function skipSpace(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    while (/\s/.test(text.charAt(cursor.at))) cursor.at += 1;
    if (text.startsWith('/*', cursor.at)) {
      const end = text.indexOf('*/', cursor.at + 2);
      cursor.at = end === -1 ? text.length : end + 2;
    } else if (text.startsWith('//', cursor.at)) {
      const end = text.indexOf('\n', cursor.at);
      cursor.at = end === -1 ? text.length : end + 1;
    } else {
      return;
    }
  }
}

function readEscape(cursor: Cursor): string {
  const { text } = cursor;
  const letter = text.charAt(cursor.at);
  cursor.at += 1;
  const hex = (length: number): string => {
    const digits = text.slice(cursor.at, cursor.at + length);
    if (!/^[\da-fA-F]+$/.test(digits) || digits.length !== length) return fail();
    cursor.at += length;
    return String.fromCharCode(Number.parseInt(digits, 16));
  };
  if (letter === 'x') return hex(2);
  if (letter === 'u' && text.charAt(cursor.at) === '{') {
    const end = text.indexOf('}', cursor.at);
    const code = Number.parseInt(text.slice(cursor.at + 1, end), 16);
    if (end === -1 || !(code <= 0x10_ff_ff)) return fail();
    cursor.at = end + 1;
    return String.fromCodePoint(code);
  }
  if (letter === 'u') return hex(4);
  if (letter === '\n') return '';
  return ESCAPES[letter] ?? letter;
}

function readString(cursor: Cursor): string {
  const { text } = cursor;
  const quote = text.charAt(cursor.at);
  const stop = quote === '"' ? /["\\]/g : quote === "'" ? /['\\]/g : /[`\\]|\$\{/g;
  cursor.at += 1;
  let value = '';
  for (;;) {
    stop.lastIndex = cursor.at;
    const match = stop.exec(text);
    if (match === null) return fail();
    value += text.slice(cursor.at, match.index);
    cursor.at = match.index + 1;
    if (match[0] === quote) return value;
    if (match[0] !== '\\') return fail();
    value += readEscape(cursor);
  }
}

const NUMBER = /[+-]?(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)n?/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;

const WORDS: Readonly<Record<string, Json>> = {
  true: true,
  false: false,
  null: null,
  undefined: null,
  NaN: null,
  Infinity: null,
};

function readWord(cursor: Cursor): Json {
  const { text } = cursor;
  if (text.startsWith('!0', cursor.at) || text.startsWith('!1', cursor.at)) {
    cursor.at += 2;
    return text.charAt(cursor.at - 1) === '0';
  }
  if (text.startsWith('void 0', cursor.at)) {
    cursor.at += 6;
    return null;
  }
  NUMBER.lastIndex = cursor.at;
  const number = NUMBER.exec(text)?.[0];
  if (number !== undefined) {
    cursor.at += number.length;
    const [, minus = '', digits = ''] = /^([+-]?)(.*?)n?$/.exec(number) ?? [];
    // BigInt rejects a sign before 0x.
    if (digits.length > 12 && /^(?:\d+|0x[\da-f]{1,64})$/i.test(digits)) {
      const whole = wholeNumber(digits);
      return minus !== '-' ? whole : typeof whole === 'number' ? -whole : `-${whole}`;
    }
    const value = Number(digits) * (minus === '-' ? -1 : 1);
    return Number.isFinite(value) ? value : null;
  }
  NAME.lastIndex = cursor.at;
  const name = NAME.exec(text)?.[0] ?? fail();
  if (!Object.hasOwn(WORDS, name)) {
    // `JSON.parse("…")` is the only call that counts as data.
    if (name === 'JSON' && text.startsWith('JSON.parse(', cursor.at)) return readJsonParse(cursor);
    return fail();
  }
  cursor.at += name.length;
  return WORDS[name] ?? null;
}

/** Whether brackets nest deeper than the limit. Checked before JSON.parse, which accepts any depth. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    } else if (code === 0x22) {
      index += 1;
      while (index < text.length && text.charCodeAt(index) !== 0x22) {
        if (text.charCodeAt(index) === 0x5c) index += 1;
        index += 1;
      }
    }
  }
  return false;
}

function readJsonParse(cursor: Cursor): Json {
  cursor.at += 'JSON.parse('.length;
  skipSpace(cursor);
  if (!/["'`]/.test(cursor.text.charAt(cursor.at))) return fail();
  const inner = readString(cursor);
  skipSpace(cursor);
  if (cursor.text.charAt(cursor.at) !== ')') return fail();
  cursor.at += 1;
  if (isTooDeep(inner)) return fail();
  try {
    return parseExactJson(inner) as Json;
  } catch {
    return fail();
  }
}

function readKey(cursor: Cursor): string {
  const { text } = cursor;
  const start = text.charAt(cursor.at);
  if (start === '"' || start === "'") return readString(cursor);
  NAME.lastIndex = cursor.at;
  NUMBER.lastIndex = cursor.at;
  const name = NAME.exec(text)?.[0] ?? NUMBER.exec(text)?.[0] ?? fail();
  cursor.at += name.length;
  return name;
}

/** Sets a property of the object itself, whatever its name. */
export function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** After a member: skips a comma, or ends at the closing bracket. */
function isOver(cursor: Cursor, close: string): boolean {
  skipSpace(cursor);
  const mark = cursor.text.charAt(cursor.at);
  if (mark === ',') {
    cursor.at += 1;
    skipSpace(cursor);
    return cursor.text.charAt(cursor.at) === close;
  }
  return mark === close || fail();
}

/** Reads what stands between brackets, one member after another. */
function readMembers(cursor: Cursor, close: string, readMember: () => void): void {
  cursor.at += 1;
  skipSpace(cursor);
  let done = cursor.text.charAt(cursor.at) === close;
  while (!done) {
    readMember();
    done = isOver(cursor, close);
  }
  cursor.at += 1;
}

function readObject(cursor: Cursor, depth: number): Json {
  const value: Record<string, Json> = {};
  readMembers(cursor, '}', () => {
    const key = readKey(cursor);
    skipSpace(cursor);
    if (cursor.text.charAt(cursor.at) !== ':') return fail();
    cursor.at += 1;
    setOwn(value, key, readValue(cursor, depth + 1));
  });
  return value;
}

function readArray(cursor: Cursor, depth: number): Json {
  const value: Json[] = [];
  readMembers(cursor, ']', () => value.push(readValue(cursor, depth + 1)));
  return value;
}

function readValue(cursor: Cursor, depth: number): Json {
  if (depth > MAX_DEPTH) return fail();
  skipSpace(cursor);
  switch (cursor.text.charAt(cursor.at)) {
    case '{': {
      return readObject(cursor, depth);
    }
    case '[': {
      return readArray(cursor, depth);
    }
    case '"':
    case "'":
    case '`': {
      return readString(cursor);
    }
    default: {
      return readWord(cursor);
    }
  }
}

/**
 * Reads the literal that starts at `from`: JSON, or JavaScript's own notation (bare and single-quoted names, trailing
 * commas, comments, undefined, `JSON.parse("…")`). Returns undefined for anything computed.
 */
export function readLooseValue(text: string, from = 0): { value: Json; end: number } | undefined {
  const cursor: Cursor = { text, at: from };
  try {
    const value = readValue(cursor, 0);
    return { value, end: cursor.at };
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}

/** Reads a whole text as JSON, or else as one literal followed only by punctuation. */
export function parseJsonText(text: string): Json | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return parseExactJson(text) as Json;
  } catch {
    const read = readLooseValue(text);
    return read !== undefined && /^[\s;)]*(?:<!--|-->|\/\/|\/\*)?/.test(text.slice(read.end))
      ? read.value
      : undefined;
  }
}
