import { readFeeds, type Feed, type FeedSettings } from './feed-tables.ts';
import { quoteTable, type SqlRunner } from './sql-text.ts';
import { listTables, type TableInfo } from './table-info.ts';
import { AppError } from '@gleaner/contracts';
import { readColumnType } from '../columns/table-types.ts';
import { readDatabase, toDatabaseRecord } from './database-record.ts';
import { openDatabase, type DatabaseServices } from './database-services.ts';
import type { Perform } from '../../platform/context.ts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { listPage, matchesSearch } from '../../platform/lists/page.ts';

const { databases } = tables;

/** Rows are counted up to this number. Larger tables get the planner's estimate. */
const EXACT_ROWS = 100_000;
/** The time limit for counting the tables of one database. The others are estimated. */
const BUDGET_MS = 2000;

/** Row counts in the order of the tables. Small tables are counted exactly, within the time limit. */
async function countRows(sql: SqlRunner, schema: string, tables: readonly TableInfo[]) {
  const until = performance.now() + BUDGET_MS;
  const counts: { rows: number | null; rows_exact: boolean }[] = [];
  for (const { name, estimatedRows, mayRead } of tables) {
    if (!mayRead || estimatedRows > EXACT_ROWS * 2 || performance.now() > until) {
      // Postgres estimates -1 rows of a table that it has not analysed yet.
      counts.push({ rows: estimatedRows < 0 ? null : Math.round(estimatedRows), rows_exact: false });
      continue;
    }
    const [row] = await sql.unsafe<{ rows: number }[]>(
      `SELECT count(*)::int AS rows FROM (SELECT 1 FROM ${quoteTable(schema, name)} LIMIT ${EXACT_ROWS + 1}) part`,
    );
    const rows = row?.rows ?? 0;
    counts.push(
      rows > EXACT_ROWS
        ? { rows: Math.max(rows, Math.round(estimatedRows)), rows_exact: false }
        : { rows, rows_exact: true },
    );
  }
  return counts;
}

function toHistory(feed: Feed | undefined): FeedSettings | null {
  return feed ? { volatile: feed.volatile, missing: feed.missing } : null;
}

/** The records of tables. */
export async function toTableRecords(sql: SqlRunner, schema: string, found: readonly TableInfo[]) {
  const counts = await countRows(sql, schema, found);
  const feeds = await readFeeds(sql, schema, found);
  return found.map(({ name, columns, key }, index) => ({
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: readColumnType(column.type) ?? column.type,
      nullable: column.nullable,
    })),
    key,
    ...(counts[index] ?? { rows: null, rows_exact: false }),
    history: toHistory(feeds.get(name)),
  }));
}

/** Reports an unavailable external database in the record instead of throwing, so that clients can correct it. */
export const getDatabase: Perform<'getDatabase', DatabaseServices> = async (ctx, { params }) => {
  const row = await readDatabase(ctx.services.db.orm, { accountId: ctx.accountId, id: params.id });
  const record = toDatabaseRecord(row);
  try {
    const place = await openDatabase(ctx, row);
    const tables = await place.read(async (tx) =>
      toTableRecords(tx, place.schema, await listTables(tx, place.schema)),
    );
    return { ...record, tables, problem: null };
  } catch (error) {
    if (row.kind === 'postgres' && error instanceof AppError && error.code === 'temporarily_unavailable')
      return { ...record, tables: null, problem: error.options.detail ?? error.message };
    throw error;
  }
};

export const listDatabases: Perform<'listDatabases'> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    databases.id,
    [eq(databases.accountId, ctx.accountId), matchesSearch(query.search, databases)],
    ctx.services.db.orm.select().from(databases),
  );
  return { databases: items.map(toDatabaseRecord), pagination };
};
