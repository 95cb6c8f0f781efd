import { wireType } from '../columns/table-types.ts';
import type { PlannedColumn } from './prepare-table.ts';

/** The database computes this column's value from the age that a worker sends. */
export const FETCHED_AT = '_fetched_at';

/** How a statement names its n-th column of values, from 1. */
export type ParameterName = (place: number) => string;

/** The type of a column's sent values: an age in seconds for the time of the fetch. */
export function sentType({ name, type }: PlannedColumn): string {
  return name === FETCHED_AT ? 'double precision' : wireType(type);
}

/** The rows that a statement gets, one array literal per column: `rows` selects them, `sent` names its columns. */
export function sentRows(
  columns: readonly PlannedColumn[],
  parameter: ParameterName,
): { sent: string; rows: string } {
  const arrays = columns.map((column, index) => `${parameter(index + 1)}::${sentType(column)}[]`);
  const values = columns.map(({ name, type }, index) => {
    const sent = `v.c${index + 1}`;
    return name === FETCHED_AT
      ? `date_trunc('milliseconds', statement_timestamp() - ${sent} * interval '1 second')::${type}`
      : type === 'text[]'
        ? `${sent}::text[]`
        : sent;
  });
  const sent = columns.map((_, index) => `c${index + 1}`).join(', ');
  return { sent, rows: `SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) v (${sent})` };
}
