import { isObject } from '@gleaner/contracts/values';

/** Reading unknown JSON: every reader gives `undefined` or null instead of throwing. */
export type JsonObject = Record<string, unknown>;

/** The value at a path of keys and indexes: `edges.0.node.text`. A negative index counts from the end. */
export function at(value: unknown, path: string): unknown {
  let node = value;
  for (const step of path.split('.')) {
    if (Array.isArray(node)) node = /^-?\d+$/.test(step) ? node.at(Number(step)) : undefined;
    else node = isObject(node) && Object.hasOwn(node, step) ? node[step] : undefined;
    if (node === undefined) return undefined;
  }
  return node;
}

export function objectAt(value: unknown, path: string): JsonObject | undefined {
  const node = at(value, path);
  return isObject(node) ? node : undefined;
}

export function arrayAt(value: unknown, path: string): unknown[] {
  const node = at(value, path);
  return Array.isArray(node) ? node : [];
}

/** Reads a value at the first of several paths that has one of its kind; null when none has. */
export type FieldReader<T> = (value: unknown, ...paths: string[]) => T | null;

export function fieldReader<T>(as: (value: unknown) => T | null): FieldReader<T> {
  return (value, ...paths) => {
    for (const path of paths) {
      const found = as(at(value, path));
      if (found !== null) return found;
    }
    return null;
  };
}

/** A text, unchanged and possibly empty. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A text, or null when it is empty. */
export function asFilled(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** An id, which can be a text or a number. */
export function asId(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return null;
}

/** A number, or a text of digits. */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' && /^\s*-?\d{1,18}(\.\d{1,9})?\s*$/.test(value)) return Number(value);
  return null;
}

/** A safe whole number. Fractions are not rounded. */
export function asWhole(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** A count. Negative numbers, from overflows or hidden counts, are absent. */
export function asCount(value: unknown): number | null {
  const number = asWhole(value);
  return number !== null && number >= 0 ? number : null;
}

export const textAt = fieldReader(asText);
export const filledAt = fieldReader(asFilled);
export const idAt = fieldReader(asId);
export const flagAt = fieldReader((value) => (typeof value === 'boolean' ? value : null));
export const numberAt = fieldReader(asNumber);
export const wholeAt = fieldReader(asWhole);
export const countAt = fieldReader(asCount);

/** The first of several readings that is not null. */
export function first<T>(...values: (T | null | undefined)[]): T | null {
  for (const value of values) if (value !== null && value !== undefined) return value;
  return null;
}

/** The first object with what it lacks from the others, in their order. */
export function filledFrom(objects: readonly JsonObject[]): JsonObject {
  const filled: JsonObject = {};
  for (const object of objects) for (const [key, value] of Object.entries(object)) filled[key] ??= value;
  return filled;
}

/** The fields that an API's response has at some place, taken from a record with more of them; absent ones are null. */
export function pick<K extends string>(
  shape: Readonly<Record<K, unknown>>,
  record: Readonly<Partial<Record<NoInfer<K>, unknown>>>,
): Record<string, unknown> {
  return Object.fromEntries((Object.keys(shape) as K[]).map((key) => [key, record[key] ?? null]));
}

/** The limit on visited nodes, far above real pages. */
const MAX_NODES = 3_000_000;

/** Every object inside `root`, itself first, in document order. Stops at `MAX_NODES`. */
export function* objectsOf(root: unknown): Generator<JsonObject> {
  const stack: unknown[] = [root];
  for (let visited = 0; stack.length > 0 && visited < MAX_NODES; visited += 1) {
    const node = stack.pop();
    const isList = Array.isArray(node);
    if (!isList && !isObject(node)) continue;
    if (!isList) yield node;
    const children: unknown[] = isList ? node : Object.values(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (typeof child === 'object' && child !== null) stack.push(child);
    }
  }
}

/** The first object inside `root` that the test accepts. */
export function findObject(root: unknown, test: (node: JsonObject) => boolean): JsonObject | undefined {
  for (const node of objectsOf(root)) if (test(node)) return node;
  return undefined;
}

/** Every value under one of the keys, in document order. */
export function* valuesUnder(root: unknown, ...keys: string[]): Generator<unknown> {
  for (const node of objectsOf(root)) {
    for (const key of keys) if (Object.hasOwn(node, key)) yield node[key];
  }
}

/** The first object under one of the keys. */
export function objectUnder(root: unknown, ...keys: string[]): JsonObject | undefined {
  for (const value of valuesUnder(root, ...keys)) if (isObject(value)) return value;
  return undefined;
}
