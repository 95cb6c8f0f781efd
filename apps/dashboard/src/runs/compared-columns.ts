import type { CallOutput } from '../api/call.ts';
import { cellText, memberOf } from '../format/format.ts';

export type QuarantinedRow = CallOutput<'listQuarantinedRows'>['rows'][number];

const MAX_COLUMNS = 12;

/** The fields of rows held back and of the rows that they would replace: lost values first, then changed ones. */
export function comparedColumns(rows: readonly Pick<QuarantinedRow, 'data' | 'current'>[]): string[] {
  const differing = new Map<string, number>();
  for (const { data, current } of rows) {
    if (typeof data !== 'object' || data === null) continue;
    for (const name of Object.keys(data)) {
      const held = cellText(memberOf(data, name));
      const isChanged = current != null && held !== cellText(current.data[name]);
      differing.set(name, (differing.get(name) ?? 0) + (isChanged ? (held === '' ? 2 : 1) : 0));
    }
  }
  return [...differing]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .slice(0, MAX_COLUMNS);
}

/** Whether a row held back lacks a value that the row which it would replace has. */
export function losesValue({ data, current }: Pick<QuarantinedRow, 'data' | 'current'>): boolean {
  if (current == null || typeof data !== 'object' || data === null) return false;
  return Object.keys(data).some(
    (name) => cellText(memberOf(data, name)) === '' && cellText(current.data[name]) !== '',
  );
}

/** The fields of the first results, as columns of a table. */
export function resultColumns(rows: readonly { data: unknown }[]): string[] {
  const names = new Set<string>();
  for (const { data } of rows.slice(0, 50)) {
    if (typeof data === 'object' && data !== null) for (const name of Object.keys(data)) names.add(name);
  }
  return [...names].slice(0, MAX_COLUMNS);
}
