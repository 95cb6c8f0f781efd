import { invalid } from '../../platform/invalid-request.ts';
import { errorCodeOf } from '@gleaner/db';
import { MAX_PAGE_BYTES, decodeCursor, encodeCursor } from '../../platform/lists/page.ts';
import { columnKind, readCell, showTimestamp } from '../columns/columns.ts';
import { compileFilter, type SqlCondition } from './row-filter.ts';
import { cellText } from './cell-text.ts';
import { quoteIdentifier, quoteTable, type SqlRunner } from './sql-text.ts';
import { type ColumnInfo, type TableInfo, readTable } from './table-info.ts';
import { AppError, cutText } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import { readDatabase } from './database-record.ts';
import { openDatabase, type OpenDatabase, type DatabaseServices } from './database-services.ts';

type RowsPlace = Pick<OpenDatabase, 'schema' | 'kind'>;

/** Texts are ordered by their first characters, which limits the size of cursors. */
const ORDERED_CHARACTERS = 256;

function findColumn(table: TableInfo, orderBy: string): ColumnInfo {
  const name = orderBy.replace(/^-/, '');
  const column = table.columns.find((one) => one.name === name);
  const kind = column && columnKind(column.type);
  if (column && kind !== 'jsonb' && kind !== 'texts' && kind !== 'other') return column;
  throw invalid(
    'order_by',
    column
      ? `rows can't be ordered by a column of type ${column.type}`
      : `table ${table.name} has no column ${name}`,
  );
}

/**
 * The order of a table's rows and its cursors. The unique key orders equal rows, so that pages never repeat or miss an
 * unchanged row.
 * @throws AppError invalid_request with field order_by, or table when it has no key
 */
function planOrder(table: TableInfo, { kind }: RowsPlace, orderBy = '') {
  if (table.key.length === 0)
    throw invalid(
      'table',
      `table ${table.name} has no unique key over columns without nulls, so its rows have no stable order`,
    );
  const typeOf = new Map(table.columns.map(({ name, type }) => [name, type]));
  // Qualified: a bare name in ORDER BY would mean the selected text form.
  const key = table.key.map((name) => `t.${quoteIdentifier(name)}`);
  const keyTypes = table.key.map((name) => typeOf.get(name) ?? 'text');
  const column = orderBy === '' ? undefined : findColumn(table, orderBy);
  const isText = column !== undefined && columnKind(column.type) === 'text';
  const quoted = column && `t.${quoteIdentifier(column.name)}`;
  // Another server may not have the collation.
  const collation = kind === 'managed' ? ' COLLATE gleaner.by_number' : '';
  const order = isText && quoted ? `left(${quoted}, ${ORDERED_CHARACTERS})${collation}` : quoted;
  const isDescending = orderBy.startsWith('-');
  const length = key.length + (order === undefined ? 0 : 1);

  return {
    /** For ORDER BY; the table's alias is t. */
    text: [
      ...(order === undefined ? [] : [`${order} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`]),
      ...key,
    ].join(', '),
    /** The columns of a row's cursor. */
    names: [...(column === undefined ? [] : [column.name]), ...table.key],
    /** Expressions for the values of a row's cursor, as text. */
    cursorColumns: [...(order === undefined ? [] : [order]), ...key],
    encode: (values: readonly (string | null)[]): string => encodeCursor('rows', [orderBy, ...values]),
    after: (cursor: string, firstParameter: number): SqlCondition => {
      const [usedOrder, ...values] = decodeCursor('rows', cursor, length + 1);
      if (usedOrder !== orderBy) throw invalid('cursor', 'belongs to another order_by');
      const parameters: string[] = [];
      const add = (value: string | number | null | undefined, type: string): string => {
        parameters.push(String(value));
        return `$${firstParameter + parameters.length - 1}::text::${type}`;
      };
      const orderValue = order === undefined ? undefined : values.shift();
      const afterKey = `(${key.join(', ')}) > (${key.map((_, index) => add(values[index], keyTypes[index] ?? 'text')).join(', ')})`;
      if (order === undefined) return { text: afterKey, parameters };
      if (orderValue === null) return { text: `${order} IS NULL AND ${afterKey}`, parameters };
      const value = add(orderValue, isText ? 'text' : (column?.type ?? 'text'));
      const beyond = `${order} ${isDescending ? '<' : '>'} ${value}`;
      return { text: `(${beyond} OR (${order} = ${value} AND ${afterKey}) OR ${order} IS NULL)`, parameters };
    },
  };
}

interface RowQuery {
  filter?: string | undefined;
  orderBy?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  /** The columns that are read; all of them by default. */
  columns?: readonly ColumnInfo[] | undefined;
}

/** The columns that a request names, with commas between them. @throws AppError invalid_request (columns) */
export function chooseColumns(table: TableInfo, names: string | undefined): readonly ColumnInfo[] {
  if (names === undefined) return table.columns;
  const chosen = new Map<string, ColumnInfo>();
  for (const name of names.split(',').map((text) => text.trim())) {
    const column = table.columns.find((one) => one.name === name);
    if (column === undefined)
      throw invalid('columns', `table ${table.name} has no column ${cutText(name, 80)}`);
    chosen.set(name, column);
  }
  return [...chosen.values()];
}

/** Rows of cells in text form, in the order of the table's columns. */
export interface RowPage {
  rows: (string | null)[][];
  /** The cursor of the last row. */
  cursor: string | null;
  hasMore: boolean;
}

/**
 * Reads one page of a table by keyset, so the cost doesn't grow with the page's number. Large rows end it early.
 * @throws AppError invalid_request with field filter…, order_by, cursor or table
 */
export async function readRows(
  tx: SqlRunner,
  place: RowsPlace,
  table: TableInfo,
  query: RowQuery,
): Promise<RowPage> {
  const order = planOrder(table, place, query.orderBy);
  const filter = compileFilter(query.filter, table);
  const after =
    query.cursor === undefined
      ? { text: 'true', parameters: [] }
      : order.after(query.cursor, filter.parameters.length + 1);
  const { columns = table.columns } = query;
  const selected = [
    ...columns.map(({ name, type }) => cellText(`t.${quoteIdentifier(name)}`, type)),
    ...order.cursorColumns.map((expression) => `(${expression})::text`),
  ];
  const names = selected.map((_, index) => `"${index}"`);
  const stored = new Set([...columns.map(({ name }) => name), ...order.names]);
  // The innermost query finds the page's rows as they are stored: what stands beside an ORDER BY is worked out for each row
  // that is sorted, and texts of a million rows take seconds.
  // The window has no ORDER BY, so that the inner query can stop at its limit. It processes rows in their order.
  const statement = `SELECT is_over::text, ${names.map((name) => `CASE WHEN NOT is_over THEN ${name} END AS ${name}`).join(', ')}
    FROM (
      SELECT page.*, row_number() OVER rows_so_far > 1
        AND sum(${names.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ')}) OVER rows_so_far > ${MAX_PAGE_BYTES} AS is_over
      FROM (
        SELECT ${selected.map((expression, index) => `${expression} AS ${names[index] ?? ''}`).join(', ')}
        FROM (
          SELECT ${Array.from(stored, quoteIdentifier).join(', ')} FROM ${quoteTable(place.schema, table.name)} t
          WHERE ${filter.text} AND ${after.text} ORDER BY ${order.text} LIMIT ${query.limit + 1}
        ) t
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
      throw invalid('cursor', 'not a cursor of this table');
    throw error;
  }
  // Every selected expression is text.
  const rows = Array.from(found, (row) =>
    ['is_over', ...selected.keys()].map((name) => (row[name] as string | null) ?? null),
  );
  const page = rows
    .slice(0, query.limit)
    .filter(([isOver]) => isOver === 'false')
    .map(([, ...cells]) => cells);
  const last = page.at(-1);
  const isTime = columns.map(({ type }) => columnKind(type) === 'timestamp');
  const show = (text: string | null, index: number): string | null =>
    isTime[index] === true && text !== null ? showTimestamp(text) : text;
  return {
    rows: page.map((row) => row.slice(0, columns.length).map(show)),
    cursor: last ? order.encode(last.slice(columns.length)) : null,
    hasMore: rows.length > page.length,
  };
}

/** A row's values by column. */
export function toRecord(columns: readonly ColumnInfo[], cells: readonly (string | null)[]) {
  return Object.fromEntries(
    columns.map(({ name, type }, index) => [name, readCell(cells[index] ?? null, type)]),
  );
}

/** @throws AppError not_found */
export async function findTable(sql: SqlRunner, schema: string, name: string): Promise<TableInfo> {
  const table = await readTable(sql, schema, name);
  if (!table) throw new AppError('not_found', { field: 'table' });
  return table;
}

/** @throws AppError not_found, temporarily_unavailable */
export async function openOwnDatabase(ctx: Context<DatabaseServices>, id: string): Promise<OpenDatabase> {
  const { db } = ctx.services;
  return openDatabase(ctx, await readDatabase(db.orm, { accountId: ctx.accountId, id }));
}

export const listRows: Perform<'listRows', DatabaseServices> = async (ctx, { params, query }) => {
  const place = await openOwnDatabase(ctx, params.id);
  return place.read(async (tx) => {
    const table = await findTable(tx, place.schema, params.table);
    const { filter, order_by: orderBy, cursor: after, limit } = query;
    const columns = chooseColumns(table, query.columns);
    const options = { filter, orderBy, cursor: after, limit, columns };
    const { rows, cursor, hasMore } = await readRows(tx, place, table, options);
    return {
      rows: rows.map((cells) => toRecord(columns, cells)),
      pagination: { cursor: hasMore ? cursor : null, has_more: hasMore },
    };
  });
};
