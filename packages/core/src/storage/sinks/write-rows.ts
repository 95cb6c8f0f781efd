import type { StoredError } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';
import type { PendingQuery, Row } from 'postgres';
import type { SqlRunner } from '../databases/sql-text.ts';
import { errorCode } from '../databases/external-databases.ts';
import { serverMessage } from '../databases/server-message.ts';
import { toArrayLiteral } from '../columns/array-literal.ts';
import type { PlannedColumn } from './plan-columns.ts';
import { mergeRows, type SinkRow } from './sink-row.ts';
import { FETCHED_AT, sentType } from './upsert-statement.ts';

export interface Upsert {
  statement: string;
  columns: readonly PlannedColumn[];
  nulls: 'keep' | 'overwrite';
}

/** Rows of one statement at most: bounds the size of a message, and what bisection repeats. */
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

/** Upserts rows in as few statements as their size asks for. */
export async function writeRows(sql: SqlRunner, upsert: Upsert, rows: readonly SinkRow[]): Promise<void> {
  for (const part of toParts(upsert, rows)) await sql.unsafe(upsert.statement, part, { prepare: true });
}

/** Rows of a managed table, as the engine writes them in the statement that settles their tasks. */
export interface SettledRows {
  /** Its one parameter is an array with an array literal for each column. */
  statement: string;
  /** The columns of all parts, one part after the other. */
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

/** Writes rows of a managed table alone, without a settlement. */
export async function writeSettledRows(sql: Sql, rows: SettledRows): Promise<void> {
  await sql`SELECT engine.write_rows(${rows.statement}, ${bindColumns(sql, rows)}, ${rows.width})`;
}

/**
 * What waits at most in a database of the account's own. Without it a lock that somebody holds there would keep our
 * sessions waiting, more with every attempt, long after we gave them up: a server doesn't notice that.
 */
const EXTERNAL_LIMITS = `SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '25s'`;

/**
 * What a row itself can be at fault for: its data (22), a constraint of the account's own (23), a trigger that raises
 * (P0), a value too long for an index (54).
 */
function isRowFault(error: unknown): error is Error {
  return /^(22|23|54|P0)/.test(errorCode(error) ?? '');
}

/** How long refused rows are looked for: less than one use of an external database may take. */
const APART_MS = 15_000;

/**
 * Like writeRows, but a row that the table refuses fails alone: the batch is halved until the refused rows are
 * found. For tables with constraints that we didn't make. Of a far database that refuses many, those that could not be
 * told apart in `withinMs` are to be tried again.
 */
export async function writeRowsApart(
  sql: Sql,
  upsert: Upsert,
  rows: readonly SinkRow[],
  withinMs = APART_MS,
): Promise<Map<SinkRow, StoredError>> {
  const failures = new Map<SinkRow, StoredError>();
  const until = performance.now() + withinMs;
  const attempt = async (part: readonly SinkRow[]): Promise<void> => {
    if (part.length === 0) return;
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(EXTERNAL_LIMITS);
        await writeRows(tx, upsert, part);
      });
    } catch (error) {
      if (!isRowFault(error)) throw error;
      const keys = new Set(part.map((row) => row.key));
      if (keys.size === 1) {
        const detail = `the table refused the row: ${serverMessage(error)}`;
        for (const row of part) failures.set(row, { code: 'extraction_failed', detail, retryable: false });
        return;
      }
      if (performance.now() > until) {
        const detail = `the table refuses too many rows to tell in time which ones, this one or others: ${serverMessage(error)}`;
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
