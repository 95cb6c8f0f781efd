/** A JSON number too long for a double: an id that must stay exact. */
const LONG_NUMBER = /[[:,]\s*\d{16,}\s*[,}\]]/;

/** Whether a text begins like an object or a list. */
export function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/** A whole number beyond 2^53 as text with every digit. */
function exactDigits(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source) ? source : value;
}

/**
 * Parses JSON after removing a guard prefix (`for (;;);`, `)]}'`) or an HTML comment around it. Whole numbers beyond 2^53
 * become text with every digit. Undefined when it is not JSON.
 */
export function parseJson(text: string): unknown {
  const body = stripGuards(text);
  if (body === '') return undefined;
  try {
    return JSON.parse(body, LONG_NUMBER.test(body) ? exactDigits : undefined);
  } catch {
    return undefined;
  }
}

function stripGuards(text: string): string {
  let body = text.trim();
  if (body.startsWith('\uFEFF')) body = body.slice(1);
  if (body.startsWith('<!--')) body = body.slice(4, body.endsWith('-->') ? -3 : undefined).trim();
  for (const guard of ['for (;;);', 'for(;;);', 'while(1);', ")]}'"]) {
    if (body.startsWith(guard)) body = body.slice(guard.length).trim();
  }
  return body;
}

/** The JSON value from the bracket at `start` to the matching one; undefined when there is none. */
export function jsonFrom(text: string, start: number): unknown {
  const cut = balancedFrom(text, start);
  return cut === undefined ? undefined : parseJson(cut);
}

function balancedFrom(text: string, start: number): string | undefined {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      index = stringEnd(text, index, '"');
      if (index === -1) return undefined;
    } else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return text.slice(start, index + 1);
    }
  }
  return undefined;
}

/** Index of the quote that closes the string opened at `start`; -1 when it stays open. */
export function stringEnd(text: string, start: number, quote: string): number {
  let index = start;
  for (;;) {
    index = text.indexOf(quote, index + 1);
    if (index === -1) return -1;
    let slashes = 0;
    while (text.charCodeAt(index - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return index;
  }
}

const MAX_TRIES = 50;

/**
 * The JSON value assigned to a name in script text: `var NAME = {…};`, `window["NAME"] = {…}`, `NAME: {…}`. The first
 * occurrence that is followed by a value that parses wins.
 */
export function assignedJson(text: string, name: string): unknown {
  let from = 0;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = text.indexOf(name, from);
    if (found === -1) return undefined;
    from = found + name.length;
    const gap = /^["']?\]?\s*[=:]\s*/.exec(text.slice(from, from + 40));
    if (!gap) continue;
    const start = from + gap[0].length;
    const opener = text[start] ?? '';
    if (opener === "'" || opener === '"') {
      const value = quotedJson(text, start);
      if (value !== undefined) return value;
    }
    if (!isJson(opener)) continue;
    const value = jsonFrom(text, start);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `'\x7b\x22a\x22:1\x7d'` and `"{\"a\":1}"`: JSON inside a script string. */
function quotedJson(text: string, start: number): unknown {
  const end = stringEnd(text, start, text[start] ?? '"');
  if (end === -1) return undefined;
  const plain = text
    .slice(start + 1, end)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/gs,
      (_all, hex, unicode, char: string | undefined) => {
        const code = (hex ?? unicode) as string | undefined;
        if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
        if (char === 'n') return '\n';
        return char ?? '';
      },
    );
  return isJson(plain) ? parseJson(plain) : undefined;
}
