import type { NullRule } from '@gleaner/contracts';
import { quoteIdentifier, quoteTable } from '../databases/sql-text.ts';
import type { ColumnPlan, PlannedColumn } from './plan-columns.ts';
import type { SinkTable } from './prepare-table.ts';

/** The database computes this column's value from the age that a worker sends. */
export const FETCHED_AT = '_fetched_at';

/** How a statement names its n-th column of values, from 1. */
export type ParameterName = (place: number) => string;

/** Each column of values is a separate parameter. */
export function ownParameter(place: number): string {
  return `$${place}`;
}

/** All columns of values are elements of one parameter, for `engine.write_rows`. */
export function elementOfParameter(place: number): string {
  return `(($1::text[])[${place}])`;
}

/** The type of a column's sent values: an age in seconds for the time of the fetch. */
export function sentType({ name, type }: PlannedColumn): PlannedColumn['type'] {
  return name === FETCHED_AT ? 'double precision' : type;
}

/**
 * One statement for a batch, with one array literal per column. The fetch time of a row is the database's statement time
 * minus the row's age, so rows of a worker with a wrong clock are still ordered correctly. A row that was fetched earlier
 * than the table's row changes nothing. With `nulls: "keep"`, a null keeps the table's value.
 */
export function upsertStatement(
  { schema, table }: SinkTable,
  { columns, key }: ColumnPlan,
  nulls: NullRule,
  parameter: ParameterName,
): string {
  const names = columns.map((column) => quoteIdentifier(column.name));
  const arrays = columns.map((column, index) => `${parameter(index + 1)}::${sentType(column)}[]`);
  const values = columns.map(({ name, type }, index) => {
    const sent = `v.c${index + 1}`;
    return name === FETCHED_AT
      ? `date_trunc('milliseconds', statement_timestamp() - ${sent} * interval '1 second')::${type}`
      : sent;
  });
  const changes = columns
    .filter((column) => !column.isKey)
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      return nulls === 'keep'
        ? `${quoted} = COALESCE(excluded.${quoted}, t.${quoted})`
        : `${quoted} = excluded.${quoted}`;
    });
  const fetchedAt = quoteIdentifier(FETCHED_AT);
  return `INSERT INTO ${quoteTable(schema, table)} AS t (${names.join(', ')})
SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) v (${columns.map((_, index) => `c${index + 1}`).join(', ')})
ON CONFLICT (${key.map(quoteIdentifier).join(', ')}) DO UPDATE SET ${changes.join(', ')}
WHERE t.${fetchedAt} IS NULL OR t.${fetchedAt} <= excluded.${fetchedAt}`;
}
