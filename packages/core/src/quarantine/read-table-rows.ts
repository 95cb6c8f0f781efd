import type { DatabaseSink } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { readDatabase } from '../storage/databases/database-record.ts';
import { openDatabase, type DatabaseServices } from '../storage/databases/database-services.ts';
import { quoteTable } from '../storage/databases/sql-text.ts';
import { readTable } from '../storage/databases/table-info.ts';

export type TableServices = DatabaseServices;

/** The row that a table has for an address. */
export interface TableRow {
  fetchedAt: string | null;
  /** By column, without the sink's own columns. */
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
       FROM ${quoteTable(schema, sink.table)} t WHERE _url = ANY ($1) ORDER BY _url`,
      [[...urls]],
    );
  });
  return new Map(
    rows.map(({ url, data }) => {
      const { _url, _fetched_at: fetchedAt, _run_id, ...values } = data;
      return [url, { fetchedAt: toTime(fetchedAt), values }];
    }),
  );
}
