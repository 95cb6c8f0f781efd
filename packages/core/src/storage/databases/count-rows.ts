import { quoteTable, type SqlRunner } from './sql-text.ts';
import type { TableInfo } from './table-info.ts';

/** Rows are counted up to this number. Larger tables get the planner's estimate. */
export const EXACT_ROWS = 100_000;
/** The time limit for counting the tables of one database. The others are estimated. */
const BUDGET_MS = 2000;

export interface RowCount {
  rows: number;
  rows_exact: boolean;
}

/** Row counts in the order of the tables. Small tables are counted exactly, within the time limit. */
export async function countRows(
  sql: SqlRunner,
  schema: string,
  tables: readonly TableInfo[],
): Promise<RowCount[]> {
  const until = performance.now() + BUDGET_MS;
  const counts: RowCount[] = [];
  for (const { name, estimatedRows, mayRead } of tables) {
    if (!mayRead || estimatedRows > EXACT_ROWS * 2 || performance.now() > until) {
      counts.push({ rows: Math.max(0, Math.round(estimatedRows)), rows_exact: false });
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
