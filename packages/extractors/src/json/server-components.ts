import type { Json } from './jsonpath.ts';
import { parseJsonText, readLooseValue, setOwn } from './loose-value.ts';
import { isBounded } from './references.ts';

/** What scripts of such pages name. */
export const STREAM_NAME = '__next_f';

/** The texts of `self.__next_f.push([1, "…"])` in a script. */
function* pushedIn(script: string): Generator<string> {
  let at = script.includes(STREAM_NAME) ? script.indexOf('.push(') : -1;
  while (at !== -1) {
    const start = at + '.push('.length;
    const read = readLooseValue(script, start);
    const value = read?.value;
    if (Array.isArray(value) && value[0] === 1 && typeof value[1] === 'string') yield value[1];
    at = script.indexOf('.push(', read === undefined ? start : read.end);
  }
}

/** Where a text of so many bytes of UTF-8 ends. */
function endOfBytes(text: string, start: number, bytes: number): number {
  let [at, left] = [start, bytes];
  while (left > 0 && at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    left -= code < 0x80 ? 1 : code < 0x8_00 ? 2 : code < 0x1_00_00 ? 3 : 4;
    at += code < 0x1_00_00 ? 1 : 2;
  }
  return at;
}

const ROW = /([\da-f]{1,8}):([A-Z]{0,2})/y;
const LENGTH = /([\da-f]{1,8}),/y;

/** The rows of React's stream by their ids: values and texts; rows about code, styles and errors are left out. */
function rowsOf(text: string): Map<string, Json> {
  const rows = new Map<string, Json>();
  let at = 0;
  while (at < text.length) {
    ROW.lastIndex = at;
    const [whole = '', id = '', tag = ''] = ROW.exec(text) ?? [];
    LENGTH.lastIndex = at + whole.length;
    const length = tag === 'T' ? LENGTH.exec(text) : null;
    if (length !== null) {
      const end = endOfBytes(text, LENGTH.lastIndex, Number.parseInt(length[1] ?? '0', 16));
      rows.set(id, text.slice(at + whole.length + length[0].length, end));
      at = end;
      continue;
    }
    const line = text.indexOf('\n', at);
    const end = line === -1 ? text.length : line;
    const value = id !== '' && tag === '' ? parseJsonText(text.slice(at + whole.length, end)) : undefined;
    if (value !== undefined) rows.set(id, value);
    at = end + 1;
  }
  return rows;
}

const NOTHING = /^\$(?:undefined|NaN|-?Infinity|[FhY].*)$/s;
const PLACE = /^\$[L@QWiB]?([\da-f]{1,8})((?::[\w-]{1,100}){0,20})$/;
const MAX_DEPTH = 400;

/** Writes the rows to which others refer in their places. */
class RowReader {
  readonly referred = new Set<string>();
  readonly #rows: ReadonlyMap<string, Json>;
  readonly #read = new Map<string, Json>();

  constructor(rows: ReadonlyMap<string, Json>) {
    this.#rows = rows;
  }

  row(id: string, depth: number): Json {
    const known = this.#read.get(id);
    if (known !== undefined) return known;
    // What holds itself ends there.
    this.#read.set(id, null);
    const read = this.#value(this.#rows.get(id) ?? null, depth);
    this.#read.set(id, read);
    return read;
  }

  #text(text: string, depth: number): Json {
    if (!text.startsWith('$') || text === '$') return text;
    if (text.startsWith('$$')) return text.slice(1);
    if (NOTHING.test(text)) return null;
    if (text === '$-0') return 0;
    if (/^\$[Dn]/.test(text)) return text.slice(2);
    const [, id, keys = ''] = PLACE.exec(text) ?? [];
    if (id === undefined || !this.#rows.has(id)) return text;
    this.referred.add(id);
    let value = this.row(id, depth + 1);
    for (const key of keys.split(':').slice(1))
      value =
        typeof value === 'object' && value !== null ? ((value as Record<string, Json>)[key] ?? null) : null;
    return value;
  }

  #value(value: Json, depth: number): Json {
    if (depth > MAX_DEPTH) return null;
    if (typeof value === 'string') return this.#text(value, depth);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.#value(inner, depth + 1));
    const made: Record<string, Json> = {};
    for (const [key, inner] of Object.entries(value)) setOwn(made, key, this.#value(inner, depth + 1));
    return made;
  }
}

/**
 * What the scripts of a page with React Server Components push together: an object of the rows, by id, to which no other
 * refers, with the others in their places. Undefined where they push none.
 */
export function readServerComponents(scripts: readonly string[]): Json | undefined {
  const rows = rowsOf(scripts.flatMap((script) => [...pushedIn(script)]).join(''));
  if (rows.size === 0) return undefined;
  const reader = new RowReader(rows);
  for (const id of rows.keys()) reader.row(id, 0);
  const made: Record<string, Json> = {};
  for (const id of rows.keys())
    if (id === '0' || !reader.referred.has(id)) setOwn(made, id, reader.row(id, 0));
  return isBounded(made) ? made : undefined;
}
