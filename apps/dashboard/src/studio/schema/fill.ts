import { memberOf } from '../../format/format.ts';
import type { PageResult } from '../extraction/protocol.ts';
import { pathText, type FieldPath } from './draft.ts';

/** How many values of how many possible ones a field has, over all pages. */
export interface Fill {
  filled: number;
  total: number;
}

export function isEmptyValue(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The values at a path, in all rows of the lists on the way. */
function valuesAt(value: unknown, path: FieldPath): unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((row) => valuesAt(row, path));
  return valuesAt(memberOf(value, name), rest);
}

/** The share of pages (for a column: of rows) with a value. Undefined before there are results. */
export function fillOf(pages: readonly PageResult[], path: FieldPath): Fill | undefined {
  const read = pages.filter(({ data }) => data !== null);
  if (read.length === 0 || path.length === 0) return undefined;
  const values = read.flatMap(({ data }) => valuesAt(data, path));
  return { filled: values.filter((value) => !isEmptyValue(value)).length, total: values.length };
}

/** The value at a path, through the first row of each list. */
export function valueAt(data: unknown, path: FieldPath): unknown {
  return path.reduce((value, name) => memberOf(Array.isArray(value) ? value[0] : value, name), data);
}

/** The trace of a field on a page; in a list, the trace of the first row. */
export function traceOf({ explain }: PageResult, path: FieldPath) {
  const wanted = pathText(path);
  const matching = explain.filter((trace) => trace.path.replaceAll(/\[\d+\]/g, '') === wanted);
  // Prefers a row with a failure: the first row may be complete while others aren't.
  return matching.find(({ reason }) => reason !== undefined) ?? matching[0];
}
