import { isObject } from '@gleaner/contracts/values';

/** The steps of a path such as `page.items` or `$.items`; empty without a path. */
export function readPath(path: string | undefined): string[] {
  return path === undefined ? [] : path.replace(/^\$\./, '').split('.');
}

export function toRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

/** The value at the steps; undefined where a step finds no object. */
export function followPath(path: readonly string[], data: unknown): unknown {
  let value = data;
  for (const name of path) value = toRecord(value)?.[name];
  return value;
}
