import { quoteIdentifier, quoteTable } from '../databases/sql-text.ts';
import type { ColumnPlan } from './plan-columns.ts';
import type { SinkTable } from './prepare-table.ts';

/**
 * One statement for a batch: each column is one array parameter. A row that was fetched earlier than the one in the
 * table changes nothing; with `nulls: "keep"` a null leaves the table's value.
 */
export function upsertStatement(
  { schema, table }: SinkTable,
  { columns, key }: ColumnPlan,
  nulls: 'keep' | 'overwrite',
): string {
  const names = columns.map((column) => quoteIdentifier(column.name));
  const arrays = columns.map((column, index) => `$${index + 1}::${column.type}[]`);
  const changes = columns
    .filter((column) => !column.isKey)
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      return nulls === 'keep'
        ? `${quoted} = COALESCE(excluded.${quoted}, t.${quoted})`
        : `${quoted} = excluded.${quoted}`;
    });
  const fetchedAt = quoteIdentifier('_fetched_at');
  return `INSERT INTO ${quoteTable(schema, table)} AS t (${names.join(', ')})
SELECT * FROM unnest(${arrays.join(', ')})
ON CONFLICT (${key.map(quoteIdentifier).join(', ')}) DO UPDATE SET ${changes.join(', ')}
WHERE t.${fetchedAt} IS NULL OR t.${fetchedAt} <= excluded.${fetchedAt}`;
}
