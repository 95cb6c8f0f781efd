import { wireType } from '../columns/table-types.ts';
import { quoteIdentifier } from '../databases/sql-text.ts';
import type { ColumnPlan, PlannedColumn } from './prepare-table.ts';

/** When a row's page was fetched. */
export const FETCHED_AT = '_fetched_at';

/** How a statement names its n-th column of values, from 1. */
export type ParameterName = (place: number) => string;

/** The type of a column's sent values. */
export function sentType({ name, type }: PlannedColumn): string {
  return name === FETCHED_AT ? 'timestamptz' : wireType(type);
}

/** The rows that a statement gets, one array literal per column: `rows` selects them, `sent` names its columns. */
export function sentRows(
  columns: readonly PlannedColumn[],
  parameter: ParameterName,
): { sent: string; rows: string } {
  const arrays = columns.map((column, index) => `${parameter(index + 1)}::${sentType(column)}[]`);
  const values = columns.map(({ name, type }, index) => {
    const sent = `v.c${index + 1}`;
    return name === FETCHED_AT ? `${sent}::${type}` : type === 'text[]' ? `${sent}::text[]` : sent;
  });
  const sent = columns.map((_, index) => `c${index + 1}`).join(', ');
  return { sent, rows: `SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) v (${sent})` };
}

/** The sent value of a column in the row `from`. */
export function sentValue(columns: readonly PlannedColumn[], name: string, from: string): string {
  return `${from}.c${columns.findIndex((column) => column.name === name) + 1}`;
}

/**
 * In how many rows a null kept a value of an earlier fetch: `count` joins the rows that were sent with those of the table,
 * which were `written` with what `returned` says of them.
 */
export function countKept(
  { columns, key }: ColumnPlan,
  from: string,
  written: string,
): { returned: string[]; count: string } | undefined {
  const sentAs = (name: string): string => sentValue(columns, name, from);
  const others = columns.filter((column) => !column.isKey && column.name !== FETCHED_AT);
  if (others.length === 0) return undefined;
  // A table has up to 1,500 columns: whether each has a value is one array.
  const hasValues = others.map(({ name }) => `t.${quoteIdentifier(name)} IS NOT NULL`).join(', ');
  const isSent = others.map(({ name }) => `${sentAs(name)} IS NULL`).join(', ');
  const isWritten = key.map((name, index) => `${written}.k${index + 1} = ${sentAs(name)}`).join(' AND ');
  return {
    returned: [
      ...key.map((name, index) => `t.${quoteIdentifier(name)} AS k${index + 1}`),
      `ARRAY[${hasValues}]::boolean[] AS present`,
    ],
    count: `(SELECT count(*) FROM ${from} JOIN ${written} ON ${isWritten} WHERE EXISTS (
  SELECT FROM unnest(${written}.present, ARRAY[${isSent}]::boolean[]) c (present, lacking) WHERE c.present AND c.lacking))::int`,
  };
}
