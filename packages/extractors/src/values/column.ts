/** What the values of one list and field prove about how they are written: numbers their separators, dates their order. */
export interface Column {
  /** What values of certain form prove: `12,5` a decimal comma, `25/04/2026` that the day is first. */
  readonly proven: Set<string>;
  /** What readings of an open form imply: `1.234` as a group implies a decimal comma. */
  readonly implied: Set<string>;
  /** After the first reading: all that was proven. */
  settled?: string | undefined;
}

export function createColumn(): Column {
  return { proven: new Set(), implied: new Set() };
}

/**
 * Whether the column must be read again, because its certain values say something of its open ones. Values that contradict
 * each other say nothing.
 */
export function settleColumn(column: Column): boolean {
  if (column.proven.size !== 1 || column.implied.size === 0) return false;
  [column.settled] = column.proven;
  return true;
}
