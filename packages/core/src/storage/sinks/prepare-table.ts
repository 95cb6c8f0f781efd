import { quoteIdentifier, quoteTable, type SqlRunner } from '../databases/sql-text.ts';
import { markOrigin } from '../databases/table-origin.ts';
import { readTable, type TableInfo } from '../databases/table-info.ts';
import { isMetaColumn } from '../columns/sink-column.ts';
import type { ColumnPlan } from './plan-columns.ts';

export interface SinkTable {
  schema: string;
  table: string;
}

/** How long creating or changing a table waits for its lock. */
const LOCK_TIMEOUT = '10s';

/** Metadata and key columns are not null, so that every row can be identified. */
function columnText({ name, type, isKey }: ColumnPlan['columns'][number], isKeyFixed: boolean): string {
  return `${quoteIdentifier(name)} ${type}${isKeyFixed && (isKey || isMetaColumn(name)) ? ' NOT NULL' : ''}`;
}

function createText({ schema, table }: SinkTable, plan: ColumnPlan): string {
  return `CREATE TABLE ${quoteTable(schema, table)} (
    ${plan.columns.map((column) => columnText(column, true)).join(',\n    ')},
    PRIMARY KEY (${plan.key.map(quoteIdentifier).join(', ')}))`;
}

function alterText({ schema, table }: SinkTable, plan: ColumnPlan): string {
  return `ALTER TABLE ${quoteTable(schema, table)} ${plan.columns
    .filter((column) => column.isNew)
    .map((column) => `ADD COLUMN IF NOT EXISTS ${columnText(column, false)}`)
    .join(', ')}`;
}

/**
 * Creates the table or adds missing columns. `tx` must be a separate transaction. Concurrent workers wait for each other,
 * so the plan is made again from the table's new state.
 */
export async function prepareTable(
  tx: SqlRunner,
  place: SinkTable,
  plan: (table: TableInfo | undefined) => ColumnPlan,
): Promise<ColumnPlan> {
  await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await tx.unsafe('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `gleaner sink ${place.schema}.${place.table}`,
  ]);
  const table = await readTable(tx, place.schema, place.table);
  const found = plan(table);
  if (found.frozen !== undefined || !found.columns.some((column) => column.isNew)) return found;
  await tx.unsafe(table ? alterText(place, found) : createText(place, found));
  if (!table) await markOrigin(tx, place);
  return plan(await readTable(tx, place.schema, place.table));
}
