import { errorCodeOf } from '@gleaner/db';
import { AppError } from '@gleaner/contracts';
import { MAX_PAGE_BYTES } from '../../platform/lists/page-bytes.ts';
import { columnKind } from '../columns/column-kind.ts';
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

/** Rows of cells in text form, in the order of the table's columns. */
export interface RowPage {
  rows: (string | null)[][];
  /** The cursor of the last row. */
  cursor: string | null;
  hasMore: boolean;
}

/** Infinite times and times BC have no ISO 8601 form and stay in Postgres's format. */
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
 * Reads one page of a table by keyset, so the cost doesn't grow with the page's number. Large rows end it early.
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
  // The window has no ORDER BY, so that the inner query can stop at its limit. It processes rows in their order.
  const statement = `SELECT is_over::text, ${names.map((name) => `CASE WHEN NOT is_over THEN ${name} END AS ${name}`).join(', ')}
    FROM (
      SELECT page.*, row_number() OVER rows_so_far > 1
        AND sum(${names.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ')}) OVER rows_so_far > ${MAX_PAGE_BYTES} AS is_over
      FROM (
        SELECT ${selected.map((expression, index) => `${expression} AS ${names[index] ?? ''}`).join(', ')}
        FROM ${quoteTable(schema, table.name)} t
        WHERE ${filter.text} AND ${after.text} ORDER BY ${order.text} LIMIT ${query.limit + 1}
      ) page WINDOW rows_so_far AS (ROWS UNBOUNDED PRECEDING)
    ) sized`;
  let found: Record<string, unknown>[];
  try {
    found = await tx.unsafe<Record<string, unknown>[]>(statement, [
      ...filter.parameters,
      ...after.parameters,
    ]);
  } catch (error) {
    // The filter's values were checked against their columns, so the cursor's values are invalid.
    if (errorCodeOf(error).startsWith('22') && query.cursor !== undefined)
      throw new AppError('invalid_request', { field: 'cursor', detail: 'not a cursor of this table' });
    throw error;
  }
  const rows = Array.from(found, (row) =>
    toCells([row['is_over'], ...selected.map((_, index) => row[String(index)])]),
  );
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
