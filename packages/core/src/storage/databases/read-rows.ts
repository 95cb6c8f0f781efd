import { AppError } from '@gleaner/contracts';
import { MAX_PAGE_BYTES } from '../../platform/lists/page-bytes.ts';
import { columnKind } from '../columns/column-kind.ts';
import { errorCode } from './external-databases.ts';
import { compileFilter } from './row-filter.ts';
import { planOrder } from './row-order.ts';
import { quoteIdentifier, quoteTable, type SqlRunner } from './sql-text.ts';
import type { ColumnInfo, TableInfo } from './table-info.ts';

export interface RowQuery {
  filter?: string | undefined;
  orderBy?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** Rows as the text forms of their cells, in the order of the table's columns. */
export interface RowPage {
  rows: (string | null)[][];
  /** Of the last row. */
  cursor: string | null;
  hasMore: boolean;
}

/** Infinite times and those before our era are no ISO 8601: they stay as Postgres writes them. */
function cellText({ name, type }: ColumnInfo): string {
  const quoted = quoteIdentifier(name);
  return columnKind(type) === 'timestamptz'
    ? `CASE WHEN ${quoted} >= '0001-01-01Z' AND ${quoted} < 'infinity'
        THEN to_char(${quoted} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ELSE ${quoted}::text END`
    : `${quoted}::text`;
}

// Every selected expression is text.
function toCells(row: readonly unknown[]): (string | null)[] {
  return row.map((cell) => (typeof cell === 'string' ? cell : null));
}

/**
 * One page of a table, by keyset: its cost doesn't grow with its number. It ends before `limit` where rows are large.
 * @throws AppError invalid_request with field filter…, order_by, cursor or table
 */
export async function readRows(
  tx: SqlRunner,
  schema: string,
  table: TableInfo,
  query: RowQuery,
): Promise<RowPage> {
  const order = planOrder(table, query.orderBy);
  const filter = compileFilter(query.filter, table);
  const after =
    query.cursor === undefined
      ? { text: 'true', parameters: [] }
      : order.after(query.cursor, filter.parameters.length + 1);
  const selected = [
    ...table.columns.map(cellText),
    ...order.cursorColumns.map((expression) => `(${expression})::text`),
  ];
  const names = selected.map((_, index) => `"${index}"`);
  // The window has no ORDER BY of its own, so that the inner one may stop at its limit; it goes through rows as they come.
  const statement = `SELECT is_over::text, ${names.map((name) => `CASE WHEN NOT is_over THEN ${name} END`).join(', ')}
    FROM (
      SELECT page.*, row_number() OVER rows_so_far > 1
        AND sum(${names.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ')}) OVER rows_so_far > ${MAX_PAGE_BYTES} AS is_over
      FROM (
        SELECT ${selected.map((expression, index) => `${expression} AS ${names[index] ?? ''}`).join(', ')}
        FROM ${quoteTable(schema, table.name)} t
        WHERE ${filter.text} AND ${after.text} ORDER BY ${order.text} LIMIT ${query.limit + 1}
      ) page WINDOW rows_so_far AS (ROWS UNBOUNDED PRECEDING)
    ) sized`;
  const found = await tx
    .unsafe(statement, [...filter.parameters, ...after.parameters])
    .values()
    .catch((error: unknown) => {
      // Values of the filter were checked against their columns, so it is the cursor's that don't fit.
      if (errorCode(error)?.startsWith('22') === true && query.cursor !== undefined)
        throw new AppError('invalid_request', { field: 'cursor', detail: 'not a cursor of this table' });
      throw error;
    });
  const rows = Array.from(found, (row) => toCells(row));
  const page = rows
    .slice(0, query.limit)
    .filter(([isOver]) => isOver === 'false')
    .map(([, ...cells]) => cells);
  const last = page.at(-1);
  return {
    rows: page.map((row) => row.slice(0, table.columns.length)),
    cursor: last ? order.encode(last.slice(table.columns.length)) : null,
    hasMore: rows.length > page.length,
  };
}
