import { quoteIdentifier, quoteTable, type SqlRunner } from '../databases/sql-text.ts';
import { markText } from '../databases/table-origin.ts';
import { readTableState, type TableInfo } from '../databases/table-info.ts';
import type { ForeignTransaction, TransactionRows } from '../external/foreign-transaction.ts';
import { isMetaColumn } from '../columns/sink-column.ts';
import type { ColumnPlan, PlannedColumn } from './plan-columns.ts';

export interface SinkTable {
  schema: string;
  table: string;
}

/** How long creating or changing a table waits for its lock. */
const LOCK_TIMEOUT = '10s';

type TableColumn = Pick<PlannedColumn, 'name' | 'type' | 'isKey'>;

/** Metadata and key columns are not null, so that every row can be identified. */
function columnText({ name, type, isKey }: TableColumn, isKeyFixed: boolean): string {
  return `${quoteIdentifier(name)} ${type}${isKeyFixed && (isKey || isMetaColumn(name)) ? ' NOT NULL' : ''}`;
}

/** The statement that makes a table. @param table its quoted name */
export function createText(
  table: string,
  { columns, key }: { columns: readonly TableColumn[]; key: readonly string[] },
): string {
  const lines = [
    ...columns.map((column) => columnText(column, true)),
    `PRIMARY KEY (${key.map(quoteIdentifier).join(', ')})`,
  ];
  return `CREATE TABLE ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)`;
}

function alterText({ schema, table }: SinkTable, plan: ColumnPlan): string {
  return `ALTER TABLE ${quoteTable(schema, table)} ${plan.columns
    .filter((column) => column.isNew)
    .map((column) => `ADD COLUMN IF NOT EXISTS ${columnText(column, false)}`)
    .join(', ')}`;
}

/** A database in which a sink's table is. */
export interface TableServer {
  read<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;
  run(transaction: ForeignTransaction): Promise<TransactionRows>;
}

/** How often the change of a table begins again because another process changed it. */
const MAX_TRIES = 5;

/**
 * Creates the table or adds missing columns, in one transaction that does nothing when the table is no longer as it was
 * planned for. Concurrent workers wait for each other, so the plan is made again from the table's new state.
 */
export async function prepareTable(
  server: TableServer,
  place: SinkTable,
  plan: (table: TableInfo | undefined) => ColumnPlan,
): Promise<ColumnPlan> {
  for (let tries = 1; ; tries += 1) {
    const { table, state } = await server.read((sql) => readTableState(sql, place.schema, place.table));
    const found = plan(table);
    if (found.frozen !== undefined || !found.columns.some((column) => column.isNew)) return found;
    const changes = table
      ? [alterText(place, found)]
      : [createText(quoteTable(place.schema, place.table), found), markText(place)];
    const rows = await server.run({
      mode: 'read write',
      statements: [
        { text: `SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'` },
        {
          text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text',
          parameters: [`gleaner sink ${place.schema}.${place.table}`],
        },
        state,
        ...changes.map((text) => ({ text })),
      ],
    });
    if (rows === null && tries >= MAX_TRIES) throw new Error('the table changes all the time');
  }
}
