import { toStorableJson, type DatabaseSink } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { readDatabase } from '../storage/databases/database-record.ts';
import { openDatabase, type DatabaseServices } from '../storage/databases/database-services.ts';
import { quoteIdentifier, quoteTable, type SqlRunner } from '../storage/databases/sql-text.ts';
import { readTable } from '../storage/databases/table-info.ts';
import { wireType, type TableType } from '../storage/columns/table-types.ts';
import { MAX_PAGE_BYTES } from '../platform/lists/page.ts';

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
 * Without the table there are none, and rows beyond 8 MB are left out.
 * @throws AppError not_found: the database is gone; temporarily_unavailable: it does not answer
 */
export async function readTableRows(
  ctx: Context<TableServices>,
  sink: DatabaseSink,
  urls: readonly string[],
): Promise<Map<string, TableRow>> {
  const keys = new Map(urls.map((url, place) => [-place, [url]]));
  const rows = await readRowsByKey(ctx, sink, [{ name: '_url', type: 'text' }], keys);
  return new Map(urls.flatMap((url, place) => [[url, rows.get(-place)] as const]).filter(isFound));
}

function isFound(entry: readonly [string, TableRow | null | undefined]): entry is [string, TableRow] {
  return entry[1] !== undefined && entry[1] !== null;
}

/**
 * The rows that a sink's table has for these keys, by the caller's numbers; null for one that is too large beside those of
 * greater numbers. Without the table there are none.
 * @param keys values of the key's columns, in Postgres's text forms, by any number of the caller
 * @throws AppError as `readTableRows`
 */
export async function readRowsByKey(
  ctx: Context<TableServices>,
  sink: DatabaseSink,
  columns: readonly { name: string; type: TableType }[],
  keys: ReadonlyMap<number, readonly string[]>,
): Promise<Map<number, TableRow | null>> {
  if (keys.size === 0) return new Map();
  const wanted = [...keys].map(([place, values]) => ({
    place,
    ...Object.fromEntries(values.map((value, index) => [`k${index}`, value])),
  }));
  const types = columns.map(({ type }, index) => `k${index} ${wireType(type)}`);
  const equal = columns.map(({ name }, index) => `t.${quoteIdentifier(name)} = e.k${index}`);
  const rows = await findRows(ctx, sink, (tx, table) =>
    tx.unsafe<{ place: number; data: string | null }[]>(
      `WITH found AS MATERIALIZED (
         SELECT DISTINCT ON (e.place) e.place, t.tableoid AS part, t.ctid AS at
         FROM jsonb_to_recordset($1::text::jsonb) AS e (place int, ${types.join(', ')})
         JOIN ${table} t ON ${equal.join(' AND ')}
       ), sized AS (
         SELECT r.*, row_number() OVER so_far > 1 AND sum(octet_length(r.data)) OVER so_far > ${MAX_PAGE_BYTES} AS is_over
         FROM (
           SELECT f.place, row_to_json(t)::text AS data FROM found f JOIN ${table} t ON t.ctid = f.at AND t.tableoid = f.part
         ) r WINDOW so_far AS (ORDER BY r.place DESC)
       )
       SELECT place, CASE WHEN NOT is_over THEN data END AS data FROM sized`,
      [toStorableJson(wanted)],
    ),
  );
  return new Map(
    rows.map(({ place, data }) => [
      place,
      data === null ? null : toTableRow(JSON.parse(data) as Record<string, unknown>),
    ]),
  );
}
