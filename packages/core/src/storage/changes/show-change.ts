import type { changeSchema } from '@gleaner/contracts';
import type { z } from 'zod';
import { readCell } from '../columns/columns.ts';
import type { ColumnInfo } from '../databases/table-info.ts';
import type { StoredChange } from './read-feed-page.ts';

export type Change = z.input<typeof changeSchema>;

/** Digits of the parts of an id, which has to rise as a text too. */
const POSITION_DIGITS = 12;
const NUMBER_DIGITS = 15;

/** Values of columns from their text forms; a long text is `{bytes, sha256}`. */
function toValues(text: string, columns: readonly ColumnInfo[]): Record<string, unknown> {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const stored = JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      name,
      typeof value === 'string' ? readCell(value, types.get(name) ?? 'text') : value,
    ]),
  );
}

export function toChange(
  { position, no, kind, key, at, run_id: runId, before, after, row }: StoredChange,
  columns: readonly ColumnInfo[],
): Change {
  return {
    id: position.padStart(POSITION_DIGITS, '0') + no.padStart(NUMBER_DIGITS, '0'),
    kind,
    key: toValues(key, columns),
    at,
    run_id: runId,
    ...(before === null ? {} : { before: toValues(before, columns) }),
    ...(after === null ? {} : { after: toValues(after, columns) }),
    ...(row === null ? {} : { row: toValues(row, columns) }),
  };
}
