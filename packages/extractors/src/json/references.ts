import { isObject } from '@gleaner/contracts/values';
import type { Json } from './jsonpath.ts';
import { setOwn } from './loose-value.ts';

/** Values that a payload may stand for once each reference is written out: shared ones count each time. */
const MAX_EXPANDED = 1_000_000;
const MAX_DEPTH = 400;

/**
 * Whether the value, with what it shares written out, is small enough to be searched and shown. Values that share others
 * in each level would grow without bound.
 */
export function isBounded(value: Json): boolean {
  const sizes = new Map<object, number>();
  const sizeOf = (one: Json, depth: number): number => {
    if (typeof one !== 'object' || one === null) return 1;
    const known = sizes.get(one);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) return Infinity;
    let size = 1;
    for (const inner of Object.values(one)) size += sizeOf(inner, depth + 1);
    sizes.set(one, size);
    return size;
  };
  return sizeOf(value, 0) <= MAX_EXPANDED;
}

/** Least values of a list that is taken for a payload. */
const LEAST_VALUES = 3;

function isIndex(value: Json | undefined, count: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value < count && value > -10;
}

/** `["Date", "2026-…"]`, `["Ref", 4]`: the name of a kind, then what it is made of. */
function isKind(value: readonly Json[]): boolean {
  return typeof value[0] === 'string' && value[0] !== '' && value.length < 1_000_000;
}

/** Whether each object and list holds nothing but places in the list, and each place is named. */
function isPayload(values: readonly Json[]): boolean {
  const count = values.length;
  if (count < LEAST_VALUES || typeof values[0] !== 'object' || values[0] === null) return false;
  const named = new Set<number>([0]);
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    const isOfKind = Array.isArray(value) && isKind(value);
    for (const inner of Object.values(value)) {
      if (isIndex(inner, count)) named.add(inner);
      else if (!isOfKind) return false;
    }
    for (const key of Array.isArray(value) ? [] : Object.keys(value)) {
      const at = /^_(\d{1,7})$/.exec(key)?.[1];
      if (at !== undefined) named.add(Number(at));
    }
  }
  for (let at = 0; at < count; at += 1) if (!named.has(at)) return false;
  return true;
}

/** Kinds whose value is a text or number as it stands. */
const PLAIN_KINDS = new Set(['Date', 'D', 'BigInt', 'B', 'URL', 'U', 'Object', 'RegExp', 'R', 'Symbol', 'Y']);
const MAPS = new Set(['Map', 'M']);
const LISTS = new Set(['Set', 'S']);

/** Reads a list in which objects and lists name the places of their values. */
class PayloadReader {
  isTooDeep = false;
  readonly #values: readonly Json[];
  readonly #read = new Map<number, Json>();

  constructor(values: readonly Json[]) {
    this.#values = values;
  }

  at(index: Json | undefined, depth: number): Json {
    // Numbers below zero stand for what JSON lacks: undefined, NaN, holes.
    if (typeof index !== 'number' || index < 0) return null;
    if (depth > MAX_DEPTH) {
      this.isTooDeep = true;
      return null;
    }
    const known = this.#read.get(index);
    if (known !== undefined) return known;
    // What holds itself ends there.
    this.#read.set(index, null);
    const value = this.#values[index] ?? null;
    const read = typeof value === 'object' && value !== null ? this.#made(value, depth + 1) : value;
    this.#read.set(index, read);
    return read;
  }

  #made(value: Json[] | Record<string, Json>, depth: number): Json {
    if (Array.isArray(value))
      return isKind(value) ? this.#ofKind(value, depth) : value.map((at) => this.at(at, depth));
    const made: Record<string, Json> = {};
    for (const [key, at] of Object.entries(value)) {
      const place = /^_(\d{1,7})$/.exec(key)?.[1];
      const name = place === undefined ? key : this.#values[Number(place)];
      setOwn(made, typeof name === 'string' ? name : key, this.at(at, depth));
    }
    return made;
  }

  #ofKind([kind, ...parts]: Json[], depth: number): Json {
    const name = typeof kind === 'string' ? kind : '';
    const [first = null] = parts;
    if (PLAIN_KINDS.has(name)) return typeof first === 'object' ? null : first;
    if (LISTS.has(name)) return parts.map((at) => this.at(at, depth));
    if (MAPS.has(name) || name === 'null') {
      const made: Record<string, Json> = {};
      for (let at = 0; at + 1 < parts.length; at += 2) {
        const key = name === 'null' ? parts[at] : this.at(parts[at], depth);
        setOwn(
          made,
          typeof key === 'object' ? JSON.stringify(key) : String(key),
          this.at(parts[at + 1], depth),
        );
      }
      return made;
    }
    return this.at(first, depth);
  }
}

function readPayload(values: readonly Json[]): Json | undefined {
  if (!isPayload(values)) return undefined;
  const reader = new PayloadReader(values);
  const read = reader.at(0, 0);
  return read !== null && !reader.isTooDeep && isBounded(read) ? read : undefined;
}

/**
 * What a payload of references stands for: those of Nuxt (`devalue`), React Router (`turbo-stream`) and SvelteKit's
 * `__data.json`. Undefined for other values. Shared values are shared in the answer too.
 */
export function resolveReferences(value: Json): Json | undefined {
  if (Array.isArray(value)) return readPayload(value);
  if (!isObject(value)) return undefined;
  const nodes: Json | undefined = (value as Record<string, Json>)['nodes'];
  if (!Array.isArray(nodes)) return undefined;
  let isChanged = false;
  const read = nodes.map((node): Json => {
    const { data } = isObject(node) ? (node as Record<string, Json>) : {};
    const found = Array.isArray(data) ? readPayload(data) : undefined;
    if (found === undefined) return node;
    isChanged = true;
    return { ...(node as Record<string, Json>), data: found };
  });
  return isChanged ? { ...(value as Record<string, Json>), nodes: read } : undefined;
}
