import { quoteIdentifier, quoteTable } from '../databases/sql-text.ts';
import type { ColumnPlan, PlannedColumn } from './plan-columns.ts';
import type { SinkTable } from './prepare-table.ts';

/** The column whose value the database computes from the age that a worker sends. */
export const FETCHED_AT = '_fetched_at';

/** How a statement names its n-th column of values, from 1. */
export type ParameterName = (place: number) => string;

/** Each column of values is a parameter of its own. */
export function ownParameter(place: number): string {
  return `$${place}`;
}

/** All columns of values are elements of one parameter, as `engine.write_rows` passes them. */
export function elementOfParameter(place: number): string {
  return `(($1::text[])[${place}])`;
}

/** The type in which the values of a column are sent: an age in seconds for the time of the fetch. */
export function sentType({ name, type }: PlannedColumn): PlannedColumn['type'] {
  return name === FETCHED_AT ? 'double precision' : type;
}

/**
 * One statement for a batch: each column is one array literal. The database's clock dates a row: its statement's time
 * less the row's age. So a row of a worker with a wrong clock has the right place among those of others. A row that was
 * fetched earlier than the one in the table changes nothing; with `nulls: "keep"` a null leaves the table's value.
 */
export function upsertStatement(
  { schema, table }: SinkTable,
  { columns, key }: ColumnPlan,
  nulls: 'keep' | 'overwrite',
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
