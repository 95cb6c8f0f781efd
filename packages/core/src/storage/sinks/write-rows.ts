import type { NullRule, StoredError } from '@gleaner/contracts';
import { quoteIdentifier, quoteTable, VALUE_FORMATS } from '../databases/sql-text.ts';
import type { ColumnPlan, PlannedColumn, SinkTable } from './prepare-table.ts';
import { ENGINE, errorCodeOf, type Sql } from '@gleaner/db';
import type { PendingQuery, Row } from 'postgres';
import { isPermanentFault } from '../external/describe-fault.ts';
import type { ForeignTransaction, TransactionRows } from '../external/foreign-transaction.ts';
import { serverMessage } from '../external/server-message.ts';
import { toArrayLiteral } from '../columns/table-types.ts';
import type { HistoryStatements } from './history-statements.ts';
import { addCounts, type RowCounts } from './row-counts.ts';
import { countKept, FETCHED_AT, type ParameterName, sentRows, sentType, sentValue } from './sent-rows.ts';

/** One row to write. A writer's toRows creates it for the same writer. */
export interface SinkRow {
  /** Rows have equal texts exactly when they have the same key. */
  readonly key: string;
  /** When the page was fetched: ISO 8601, by our Postgres' clock. */
  readonly fetchedAt: string;
  /** The state of the table for which the row was created. */
  readonly shape: string;
  /** Postgres text forms, in the order of the writer's columns; a time is in UTC. */
  readonly cells: readonly (string | null)[];
}

function mergeVersions(versions: readonly SinkRow[], nulls: NullRule): SinkRow {
  const [first, ...rest] = versions.toSorted((a, b) => Date.parse(a.fetchedAt) - Date.parse(b.fetchedAt));
  if (first === undefined) throw new Error('no version of a row');
  return rest.reduce(
    (older, newer) =>
      nulls === 'overwrite'
        ? newer
        : { ...newer, cells: newer.cells.map((cell, index) => cell ?? older.cells[index] ?? null) },
    first,
  );
}

/**
 * The rows of one statement: one per key (the result of writing them in sequence), ordered by key, so that transactions
 * lock rows in the same order.
 */
export function mergeRows(rows: readonly SinkRow[], nulls: NullRule): SinkRow[] {
  const versions = new Map<string, SinkRow[]>();
  for (const row of rows) {
    const known = versions.get(row.key);
    if (known) known.push(row);
    else versions.set(row.key, [row]);
  }
  return Array.from(versions.values(), (same) => {
    const [only] = same;
    return only !== undefined && same.length === 1 ? only : mergeVersions(same, nulls);
  }).sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * One statement for a batch, with one array literal per column. Fetch times are by our Postgres' clock, so rows of a worker
 * with a wrong clock are still ordered correctly. A row that was fetched earlier than the table's row changes nothing. With `nulls: "keep"`, a null keeps the table's value.
 * @param isCounted returns one row `{n}`: how many rows the table took, or has in a later version. A trigger may leave out others
 * @param countsKept adds `kept` to it: the rows in which a null kept a value of an earlier fetch
 */
export function upsertStatement(
  { schema, table }: SinkTable,
  { columns, key }: ColumnPlan,
  nulls: NullRule,
  {
    parameter,
    isCounted,
    countsKept = false,
  }: { parameter: ParameterName; isCounted: boolean; countsKept?: boolean },
): string {
  const names = columns.map((column) => quoteIdentifier(column.name));
  const changes = columns
    .filter((column) => !column.isKey)
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      return nulls === 'keep'
        ? `${quoted} = COALESCE(excluded.${quoted}, t.${quoted})`
        : `${quoted} = excluded.${quoted}`;
    });
  const fetchedAt = quoteIdentifier(FETCHED_AT);
  const place = quoteTable(schema, table);
  const { sent, rows } = sentRows(columns, parameter);
  const insert = (source: string): string => `INSERT INTO ${place} AS t (${names.join(', ')})
${source}
ON CONFLICT (${key.map(quoteIdentifier).join(', ')}) DO UPDATE SET ${changes.join(', ')}
WHERE t.${fetchedAt} IS NULL OR t.${fetchedAt} <= excluded.${fetchedAt}`;
  const kept = countsKept ? countKept({ columns, key }, 'r', 'w') : undefined;
  if (!isCounted && !kept) return insert(rows);
  const sentAs = (name: string): string => sentValue(columns, name, 'r');
  const isSame = key.map((name) => `t.${quoteIdentifier(name)} = ${sentAs(name)}`).join(' AND ');
  const returned = kept?.returned ?? ['1'];
  const written = `WITH r (${sent}) AS MATERIALIZED (${rows}), w AS (${insert('SELECT * FROM r')} RETURNING ${returned.join(', ')})`;
  if (!isCounted) return `${written}\nSELECT ${kept?.count ?? '0'} AS kept`;
  return `${written}
SELECT (CASE (SELECT count(*) FROM w) WHEN (SELECT count(*) FROM r) THEN (SELECT count(*) FROM r)
  ELSE (SELECT count(*) FROM w) + (SELECT count(*) FROM r JOIN ${place} t ON ${isSame} AND t.${fetchedAt} > ${sentAs(FETCHED_AT)})
  END)::int AS n${kept ? `, ${kept.count} AS kept` : ''}`;
}

export interface Upsert {
  statement: string;
  columns: readonly PlannedColumn[];
  nulls: NullRule;
  /** The statement for rows with nulls that keep values: it says in how many rows. */
  keeping?: string;
  /** Its statement says how many rows are in the table. */
  isCounted?: boolean;
  /** Replaces the statements in a table that keeps its changes. */
  history?: HistoryStatements | undefined;
}

/** The statements that write rows with these cells, each for all parts. */
function statementsFor(upsert: Upsert, hasNulls: boolean): readonly string[] {
  const { statement, keeping = statement } = upsert.history ?? upsert;
  return [hasNulls ? keeping : statement, ...(upsert.history ? [upsert.history.changed] : [])];
}

/** The most rows per statement, which limits the size of a message and the work of bisection. */
const MAX_ROWS = 2000;

function toParameters(rows: readonly SinkRow[], columns: readonly PlannedColumn[]): string[] {
  return columns.map((column, index) =>
    toArrayLiteral(
      rows.map((row) => row.cells[index] ?? null),
      sentType(column),
    ),
  );
}

function* toParts(
  { columns, nulls }: Upsert,
  rows: readonly SinkRow[],
): Generator<{ parameters: string[]; count: number }> {
  const merged = mergeRows(rows, nulls);
  for (let start = 0; start < merged.length; start += MAX_ROWS) {
    const part = merged.slice(start, start + MAX_ROWS);
    yield { parameters: toParameters(part, columns), count: part.length };
  }
}

/** Rows of a managed table, for the engine's statement that settles their tasks. */
export interface SettledRows {
  /** Each for all parts. Their one parameter is an array with an array literal for each column. */
  statements: readonly string[];
  /** The transaction's last statement; null: none. */
  finish: string | null;
  /** The columns of all parts, in the order of the parts. */
  columns: readonly string[];
  /** Columns of one part. */
  width: number;
}

export function toSettledRows(upsert: Upsert, rows: readonly SinkRow[]): SettledRows {
  return {
    statements: statementsFor(
      upsert,
      rows.some(({ cells }) => cells.includes(null)),
    ),
    finish: upsert.history?.finish ?? null,
    columns: [...toParts(upsert, rows)].flatMap(({ parameters }) => parameters),
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

/** Writes rows of a managed table without a settlement. @param runNo the run that counts what they changed */
export async function writeSettledRows(sql: Sql, rows: SettledRows, runNo?: string): Promise<void> {
  await sql`SELECT ${sql(ENGINE)}.write_rows(${[...rows.statements]}::text[], ${bindColumns(sql, rows)}, ${rows.width}, ${rows.finish},
    ${runNo ?? null}::text::bigint)`;
}

/**
 * Settings of a transaction in an account's own database: the zone, which a pooler may have changed, and time limits. Without them, sessions would wait for a lock there long after we gave them
 * up, and more with every attempt, because a server doesn't notice that its client left.
 */
export const EXTERNAL_LIMITS = `SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '25s'; SET LOCAL TimeZone = 'UTC'`;
/** For what is kept of changes: values are read from their text forms. */
export const HISTORY_LIMITS = `${EXTERNAL_LIMITS}; ${VALUE_FORMATS}`;

/** A row is neither in the table nor refused: a trigger of the account returned null for it. */
const LEFT_OUT = 'LEFT_OUT';
/** What Postgres's message leaves out. */
const REASONS: Readonly<Record<string, string>> = { '428C9': ' (the database generates its values)' };

function refuse(error: unknown): StoredError {
  const reason = REASONS[errorCodeOf(error)] ?? '';
  const detail = `the table rejected the row: ${serverMessage(error)}${reason}`;
  return { code: 'extraction_failed', detail, retryable: false };
}

/** The time limit of the search for rejected rows, shorter than that of one use of an external database. */
const APART_MS = 15_000;

interface ApartOptions {
  /** Which errors a row, or the statement, is at fault for. Default: all that are permanent. */
  isFault?: (error: unknown) => boolean;
  withinMs?: number;
  /** Told what each transaction did to its rows. */
  onCounts?: ((counts: RowCounts) => void) | undefined;
}

/**
 * Upserts rows in as few statements as their size allows. Only rejected rows fail: the batch is halved until they are
 * found, because the account's table may have constraints; all fail together when the table refuses the statement without
 * rows too. Rows that could not be isolated within `withinMs`, in a slow database that rejects many, must be retried.
 */
export async function writeRowsApart(
  run: (transaction: ForeignTransaction) => Promise<TransactionRows>,
  upsert: Upsert,
  rows: readonly SinkRow[],
  { isFault = isPermanentFault, withinMs = APART_MS, onCounts }: ApartOptions = {},
): Promise<Map<SinkRow, StoredError>> {
  const failures = new Map<SinkRow, StoredError>();
  const until = performance.now() + withinMs;
  const send = async (parts: readonly { parameters: string[]; count: number }[]): Promise<void> => {
    const { history } = upsert;
    const statements = statementsFor(upsert, true).flatMap((text) =>
      parts.map(({ parameters, count }) => ({
        text,
        parameters,
        ...(upsert.isCounted === true ? { expectedCount: count } : {}),
      })),
    );
    const found = await run({
      mode: 'read write',
      statements: history
        ? [{ text: HISTORY_LIMITS }, ...statements, { text: history.finish }]
        : [{ text: EXTERNAL_LIMITS }, ...statements],
    });
    if (found === null)
      throw Object.assign(new Error('a trigger or a rule of the table left it out'), { code: LEFT_OUT });
    onCounts?.(addCounts(found.flat()));
  };
  /** Postgres refuses some statements before it looks at rows, for example because a column is generated. */
  const refusesAll = async (error: unknown): Promise<boolean> => {
    try {
      await send([{ parameters: toParameters([], upsert.columns), count: 0 }]);
      return false;
    } catch (again) {
      return errorCodeOf(again) === errorCodeOf(error);
    }
  };
  const attempt = async (part: readonly SinkRow[], isFirst: boolean): Promise<void> => {
    if (part.length === 0) return;
    try {
      await send([...toParts(upsert, part)]);
    } catch (error) {
      const isLeftOut = errorCodeOf(error) === LEFT_OUT;
      if (!isLeftOut && !isFault(error)) throw error;
      const keys = new Set(part.map((row) => row.key));
      // Somebody may have written a later version of the row meanwhile, which the next look finds.
      if (keys.size === 1 && isLeftOut && isFirst) return attempt(part, false);
      if (keys.size === 1 || (isFirst && (await refusesAll(error)))) {
        for (const row of part) failures.set(row, refuse(error));
        return;
      }
      if (performance.now() > until) {
        const detail = `the table rejects rows, and there was no time to find out whether this is one of them: ${serverMessage(error)}`;
        for (const row of part) failures.set(row, { code: 'temporarily_unavailable', detail });
        return;
      }
      const left = new Set([...keys].slice(0, Math.ceil(keys.size / 2)));
      await attempt(
        part.filter((row) => left.has(row.key)),
        false,
      );
      await attempt(
        part.filter((row) => !left.has(row.key)),
        false,
      );
    }
  };
  await attempt(rows, true);
  return failures;
}
