import { toStorableJson, type DatabaseSink, type ColumnType } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { readDatabase } from '../storage/databases/database-record.ts';
import { openDatabase, type DatabaseServices } from '../storage/databases/database-services.ts';
import { toArrayLiteral } from '../storage/columns/array-literal.ts';
import { quoteIdentifier, quoteTable } from '../storage/databases/sql-text.ts';
import { readTable } from '../storage/databases/table-info.ts';

export type TableServices = DatabaseServices;

/** The row that a table has for an address. */
export interface TableRow {
  fetchedAt: string | null;
  /** Values by column, without the sink's own columns. */
  values: Record<string, unknown>;
}

function toTime(value: unknown): string | null {
  return typeof value === 'string' ? new Date(value).toISOString() : null;
}

interface Found {
  url: string;
  data: Record<string, unknown>;
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
  const database = await readDatabase(ctx.services.db.orm, {
    accountId: ctx.accountId,
    id: sink.database,
    field: 'sink.database',
  });
  const { schema, read } = await openDatabase(ctx, database);
  const rows = await read(async (tx): Promise<Found[]> => {
    if ((await readTable(tx, schema, sink.table)) === undefined) return [];
    return tx.unsafe<Found[]>(
      `SELECT DISTINCT ON (_url) _url AS url, row_to_json(t) AS data
       FROM ${quoteTable(schema, sink.table)} t WHERE _url = ANY ($1::text[]) ORDER BY _url`,
      [toArrayLiteral(urls, 'text')],
    );
  });
  return new Map(rows.map(({ url, data }) => [url, toTableRow(data)]));
}

function toTableRow(data: Record<string, unknown>): TableRow {
  const { _url, _fetched_at: fetchedAt, _run_id, ...values } = data;
  return { fetchedAt: toTime(fetchedAt), values };
}

/** Values of the key's columns, in Postgres's text forms, by any number of the caller. */
export type KeyValues = ReadonlyMap<number, readonly string[]>;

/**
 * The rows that a sink's table has for these keys, by the caller's numbers. Without the table there are none.
 * @throws AppError as `readTableRows`
 */
export async function readRowsByKey(
  ctx: Context<TableServices>,
  sink: DatabaseSink,
  columns: readonly { name: string; type: ColumnType }[],
  keys: KeyValues,
): Promise<Map<number, TableRow>> {
  if (keys.size === 0) return new Map();
  const database = await readDatabase(ctx.services.db.orm, {
    accountId: ctx.accountId,
    id: sink.database,
    field: 'sink.database',
  });
  const { schema, read } = await openDatabase(ctx, database);
  const wanted = [...keys].map(([place, values]) => ({
    place,
    ...Object.fromEntries(values.map((value, index) => [`k${index}`, value])),
  }));
  const types = columns.map(({ type }, index) => `k${index} ${type}`);
  const equal = columns.map(({ name }, index) => `t.${quoteIdentifier(name)} = e.k${index}`);
  const rows = await read(async (tx): Promise<{ place: number; data: Record<string, unknown> }[]> => {
    if ((await readTable(tx, schema, sink.table)) === undefined) return [];
    return tx.unsafe<{ place: number; data: Record<string, unknown> }[]>(
      `SELECT e.place, row_to_json(t) AS data
       FROM jsonb_to_recordset($1::text::jsonb) AS e (place int, ${types.join(', ')})
       JOIN ${quoteTable(schema, sink.table)} t ON ${equal.join(' AND ')}`,
      [toStorableJson(wanted)],
    );
  });
  return new Map(rows.map(({ place, data }) => [place, toTableRow(data)]));
}
