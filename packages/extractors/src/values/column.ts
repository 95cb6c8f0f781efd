import type { Separator } from './separators.ts';

/** What the numbers of one list and field prove about their separators. */
export interface Column {
  /** The decimal separators that numbers of certain form prove: `12,5`, `1.234.567`. */
  readonly proven: Set<Separator>;
  /** Those that readings of an open form imply: `1.234` as a group implies a decimal comma. */
  readonly implied: Set<Separator>;
  /** After the first reading: the only decimal separator that was proven. */
  settled?: Separator | undefined;
}

export function createColumn(): Column {
  return { proven: new Set(), implied: new Set() };
}

/**
 * Whether the column must be read again, because its certain numbers say something of its open ones. Numbers that
 * contradict each other say nothing.
 */
export function settleColumn(column: Column): boolean {
  if (column.proven.size !== 1 || column.implied.size === 0) return false;
  [column.settled] = column.proven;
  return true;
}
