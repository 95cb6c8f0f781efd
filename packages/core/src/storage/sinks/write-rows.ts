import type { StoredError, NullRule } from '@gleaner/contracts';
import { ENGINE, errorCodeOf, type Sql } from '@gleaner/db';
import type { PendingQuery, Row } from 'postgres';
import type { ForeignTransaction } from '../external/foreign-transaction.ts';
import { serverMessage } from '../external/server-message.ts';
import { toArrayLiteral } from '../columns/array-literal.ts';
import type { PlannedColumn } from './plan-columns.ts';
import { mergeRows, type SinkRow } from './sink-row.ts';
import { FETCHED_AT, sentType } from './upsert-statement.ts';

export interface Upsert {
  statement: string;
  columns: readonly PlannedColumn[];
  nulls: NullRule;
}

/** The most rows per statement, which limits the size of a message and the work of bisection. */
const MAX_ROWS = 2000;

function toParameters(rows: readonly SinkRow[], columns: readonly PlannedColumn[]): string[] {
  const now = performance.now();
  return columns.map((column, index) =>
    toArrayLiteral(
      column.name === FETCHED_AT
        ? rows.map(({ fetchedAt }) => String(Math.max(0, now - fetchedAt) / 1_000))
        : rows.map((row) => row.cells[index] ?? null),
      sentType(column),
    ),
  );
}

function* toParts({ columns, nulls }: Upsert, rows: readonly SinkRow[]): Generator<string[]> {
  const merged = mergeRows(rows, nulls);
  for (let start = 0; start < merged.length; start += MAX_ROWS) {
    yield toParameters(merged.slice(start, start + MAX_ROWS), columns);
  }
}

/** Rows of a managed table, for the engine's statement that settles their tasks. */
export interface SettledRows {
  /** Its one parameter is an array with an array literal for each column. */
  statement: string;
  /** The columns of all parts, in the order of the parts. */
  columns: readonly string[];
  /** Columns of one part. */
  width: number;
}

export function toSettledRows(upsert: Upsert, rows: readonly SinkRow[]): SettledRows {
  return {
    statement: upsert.statement,
    columns: [...toParts(upsert, rows)].flat(),
    width: upsert.columns.length,
  };
}

/** The columns of `rows` as a text[], for a function of the engine. */
export function bindColumns(sql: Sql, { columns: [first, ...rest] }: SettledRows): PendingQuery<Row[]> {
  if (first === undefined) return sql`'{}'::text[]`;
  // An array parameter would escape each literal once more.
  const list = rest.reduce((before, column) => sql`${before}, ${column}`, sql`${first}`);
  return sql`ARRAY[${list}]::text[]`;
}

/** Writes rows of a managed table without a settlement. */
export async function writeSettledRows(sql: Sql, rows: SettledRows): Promise<void> {
  await sql`SELECT ${sql(ENGINE)}.write_rows(${rows.statement}, ${bindColumns(sql, rows)}, ${rows.width})`;
}

/**
 * Time limits in an account's own database. Without them, sessions would wait for a lock there long after we gave them
 * up, and more with every attempt, because a server doesn't notice that its client left.
 */
export const EXTERNAL_LIMITS = `SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '25s'`;

/**
 * Whether the row may be at fault: its data (22), the account's constraint (23), a trigger that raises (P0), or a value
 * that is too long for an index (54).
 */
function isRowFault(error: unknown): error is Error {
  return /^(22|23|54|P0)/.test(errorCodeOf(error));
}

/** The time limit of the search for rejected rows, shorter than that of one use of an external database. */
const APART_MS = 15_000;

/**
 * Upserts rows in as few statements as their size allows. Only rejected rows fail: the batch is halved until they are
 * found, because the account's table may have constraints. Rows that could not be isolated within `withinMs`, in a slow database that rejects many, must be retried.
 */
export async function writeRowsApart(
  run: (transaction: ForeignTransaction) => Promise<unknown>,
  upsert: Upsert,
  rows: readonly SinkRow[],
  withinMs = APART_MS,
): Promise<Map<SinkRow, StoredError>> {
  const failures = new Map<SinkRow, StoredError>();
  const until = performance.now() + withinMs;
  const attempt = async (part: readonly SinkRow[]): Promise<void> => {
    if (part.length === 0) return;
    try {
      await run({
        mode: 'read write',
        statements: [
          { text: EXTERNAL_LIMITS },
          ...[...toParts(upsert, part)].map((parameters) => ({ text: upsert.statement, parameters })),
        ],
      });
    } catch (error) {
      if (!isRowFault(error)) throw error;
      const keys = new Set(part.map((row) => row.key));
      if (keys.size === 1) {
        const detail = `the table rejected the row: ${serverMessage(error)}`;
        for (const row of part) failures.set(row, { code: 'extraction_failed', detail, retryable: false });
        return;
      }
      if (performance.now() > until) {
        const detail = `the table rejects rows, and there was no time to find out whether this is one of them: ${serverMessage(error)}`;
        for (const row of part) failures.set(row, { code: 'temporarily_unavailable', detail });
        return;
      }
      const left = new Set([...keys].slice(0, Math.ceil(keys.size / 2)));
      await attempt(part.filter((row) => left.has(row.key)));
      await attempt(part.filter((row) => !left.has(row.key)));
    }
  };
  await attempt(rows);
  return failures;
}
