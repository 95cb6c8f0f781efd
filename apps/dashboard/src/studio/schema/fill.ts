import type { PageResult } from '../extraction/protocol.ts';
import { pathText, type FieldPath } from './draft.ts';

/** How many values of how many possible ones a field has, over all pages. */
export interface Fill {
  filled: number;
  total: number;
}

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function count(value: unknown, path: FieldPath): Fill {
  if (Array.isArray(value) && path.length > 0) {
    const parts = value.map((one) => count(one, path));
    return {
      filled: parts.reduce((sum, { filled }) => sum + filled, 0),
      total: parts.reduce((sum, { total }) => sum + total, 0),
    };
  }
  const [name, ...rest] = path;
  if (name === undefined) return { filled: isFilled(value) ? 1 : 0, total: 1 };
  const inner =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return count(inner, rest);
}

/** The share of pages (for a column: of rows) with a value. Undefined before there are results. */
export function fillOf(pages: readonly PageResult[], path: FieldPath): Fill | undefined {
  const read = pages.filter(({ data }) => data !== null);
  if (read.length === 0 || path.length === 0) return undefined;
  const parts = read.map(({ data }) => count(data, path));
  return {
    filled: parts.reduce((sum, { filled }) => sum + filled, 0),
    total: parts.reduce((sum, { total }) => sum + total, 0),
  };
}

/** The value at a path, through the first row of each list. */
export function valueAt(data: unknown, path: FieldPath): unknown {
  let value = data;
  for (const name of path) {
    if (Array.isArray(value)) [value] = value;
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

export function isEmptyValue(value: unknown): boolean {
  return !isFilled(value);
}

/** The trace of a field on a page; in a list, the trace of the first row. */
export function traceOf({ explain }: PageResult, path: FieldPath) {
  const wanted = pathText(path);
  const matching = explain.filter((trace) => trace.path.replaceAll(/\[\d+\]/g, '') === wanted);
  // Prefers a row with a failure: the first row may be complete while others aren't.
  return matching.find(({ reason }) => reason !== undefined) ?? matching[0];
}
