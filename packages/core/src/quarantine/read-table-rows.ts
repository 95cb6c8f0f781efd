import { toStorableJson, type DatabaseSink, type ColumnType } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { readDatabase } from '../storage/databases/database-record.ts';
import { openDatabase, type DatabaseServices } from '../storage/databases/database-services.ts';
import { toArrayLiteral } from '../storage/columns/columns.ts';
import { quoteIdentifier, quoteTable, type SqlRunner } from '../storage/databases/sql-text.ts';
import { readTable } from '../storage/databases/table-info.ts';

export type TableServices = DatabaseServices;

/** The row that a table has for an address. */
export interface TableRow {
  fetched_at: string | null;
  /** Values by column, without the sink's own columns. */
  data: Record<string, unknown>;
}

/** What a query finds in a sink's table; nothing without the table. @param find gets the table's quoted name */
async function findRows<R>(
  ctx: Context<TableServices>,
  sink: DatabaseSink,
  find: (tx: SqlRunner, table: string) => PromiseLike<R[]>,
): Promise<R[]> {
  const { db } = ctx.services;
  const wanted = { accountId: ctx.accountId, id: sink.database, field: 'sink.database' };
  const { schema, read } = await openDatabase(ctx, await readDatabase(db.orm, wanted));
  return read(async (tx) =>
    (await readTable(tx, schema, sink.table)) === undefined ? [] : find(tx, quoteTable(schema, sink.table)),
  );
}

function toTableRow(data: Record<string, unknown>): TableRow {
  const { _url, _fetched_at: fetchedAt, _run_id, ...values } = data;
  return {
    fetched_at: typeof fetchedAt === 'string' ? new Date(fetchedAt).toISOString() : null,
    data: values,
  };
}

/**
 * The rows that a sink's table has for these addresses, by address. An address with several rows gets one of them.
 * Without the table there are none.
 * @throws AppError not_found: the database is gone; temporarily_unavailable: it does not answer
 */
export async function readTableRows(
  ctx: Context<TableServices>,
  sink: DatabaseSink,
  urls: readonly string[],
): Promise<Map<string, TableRow>> {
  if (urls.length === 0) return new Map();
  const rows = await findRows(ctx, sink, (tx, table) =>
    tx.unsafe<{ url: string; data: Record<string, unknown> }[]>(
      `SELECT DISTINCT ON (_url) _url AS url, row_to_json(t) AS data
       FROM ${table} t WHERE _url = ANY ($1::text[]) ORDER BY _url`,
      [toArrayLiteral(urls, 'text')],
    ),
  );
  return new Map(rows.map(({ url, data }) => [url, toTableRow(data)]));
}

/**
 * The rows that a sink's table has for these keys, by the caller's numbers. Without the table there are none.
 * @param keys values of the key's columns, in Postgres's text forms, by any number of the caller
 * @throws AppError as `readTableRows`
 */
export async function readRowsByKey(
  ctx: Context<TableServices>,
  sink: DatabaseSink,
  columns: readonly { name: string; type: ColumnType }[],
  keys: ReadonlyMap<number, readonly string[]>,
): Promise<Map<number, TableRow>> {
  if (keys.size === 0) return new Map();
  const wanted = [...keys].map(([place, values]) => ({
    place,
    ...Object.fromEntries(values.map((value, index) => [`k${index}`, value])),
  }));
  const types = columns.map(({ type }, index) => `k${index} ${type}`);
  const equal = columns.map(({ name }, index) => `t.${quoteIdentifier(name)} = e.k${index}`);
  const rows = await findRows(ctx, sink, (tx, table) =>
    tx.unsafe<{ place: number; data: Record<string, unknown> }[]>(
      `SELECT e.place, row_to_json(t) AS data
       FROM jsonb_to_recordset($1::text::jsonb) AS e (place int, ${types.join(', ')})
       JOIN ${table} t ON ${equal.join(' AND ')}`,
      [toStorableJson(wanted)],
    ),
  );
  return new Map(rows.map(({ place, data }) => [place, toTableRow(data)]));
}
