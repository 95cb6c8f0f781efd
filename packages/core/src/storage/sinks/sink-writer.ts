import { AppError, type DatabaseKind, type StoredError } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { HISTORY_CHECK } from '../databases/feed-tables.ts';
import { isPermanentFault } from '../external/describe-fault.ts';
import { serverMessage } from '../external/server-message.ts';
import type { RowCounts } from './row-counts.ts';
import { type SinkRow, toSettledRows, writeRowsApart, type SettledRows, type Upsert } from './write-rows.ts';
import { toRows, type SinkResult } from './to-rows.ts';
import { openSinkTable, type TableState, type OpenSink, type SinkDeps } from './sink-table.ts';
import { readPath } from './read-path.ts';

/** The error class for limits, which retries can't pass: too many columns, a row wider than a page. */
const LIMIT_EXCEEDED = '54';

function unavailable(detail: string, cause: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail, retryAfterSeconds: 5, cause });
}

/** What the fault of a sink's statement means for its tasks; other errors unchanged. */
function explainFault(error: unknown): unknown {
  const code = errorCodeOf(error);
  const detail = serverMessage(error);
  if (code === PG_ERRORS.lockNotAvailable)
    return unavailable('another session holds a lock on the table', error);
  if (code === PG_ERRORS.insufficientPrivilege)
    return new AppError('invalid_request', {
      field: 'sink.database',
      detail: `the database's user lacks a right: ${detail}`,
      cause: error,
    });
  if (code === '42P07')
    return new AppError('invalid_request', {
      field: 'sink.table',
      detail: `${detail}, but it is a view, a partition or another relation that sinks cannot write`,
      cause: error,
    });
  if (code.startsWith(LIMIT_EXCEEDED))
    return new AppError('invalid_request', {
      field: 'sink.table',
      detail: `the table exceeds a limit of Postgres: ${detail}`,
      hint: 'Write to a table with fewer columns.',
      cause: error,
    });
  if (code === '3F000') return new AppError('not_found', { field: 'sink.database', cause: error });
  return error;
}

/** A permanent fault of an external database ends its tasks; others wait for its end. Our own errors stay unchanged. */
function explainWrite(error: unknown, kind: DatabaseKind, what: string): unknown {
  const explained = explainFault(error);
  if (explained instanceof AppError || kind === 'managed') return explained;
  if (isPermanentFault(error))
    return new AppError('invalid_request', {
      field: 'sink.table',
      detail: `${what}: ${serverMessage(error)}`,
      cause: error,
    });
  return unavailable(`${what}: ${serverMessage(error)}`, error);
}

/** How the rows are written, if the table still is as it was when they were created. */
function upsertFor({ isReady, shape, upsert }: TableState, rows: readonly SinkRow[]): Upsert {
  if (isReady && rows.every((row) => row.shape === shape)) return upsert;
  throw Object.assign(new Error('the table changed after these rows were created'), { code: SINK_CHANGED });
}

export type SinkWriter = Awaited<ReturnType<typeof openSinkWriter>>;

const SINK_CHANGED = 'SINK_CHANGED';

/** Errors of a changed table: undefined table, column or schema, another type or key, or rows for another state. */
const TABLE_CHANGED = /^(42P01|42703|3F000|42804|42P10|22P02|42P16|SINK_CHANGED)$/;

/** Whether the table has a history since the statement was planned. */
function hasNewHistory(error: unknown): boolean {
  return errorCodeOf(error) === PG_ERRORS.checkViolation && serverMessage(error).includes(HISTORY_CHECK);
}

/** A value that doesn't fit its column is a fault of its row, whatever became of the table. */
function mayHaveChanged(error: unknown): boolean {
  const code = errorCodeOf(error);
  return hasNewHistory(error) || (TABLE_CHANGED.test(code) && !code.startsWith('22'));
}

/** Whether the table refuses rows. A right that the user lacks concerns all, a policy for rows only some. */
function isRefusal(error: unknown): boolean {
  if (errorCodeOf(error) === PG_ERRORS.insufficientPrivilege)
    return /row-level security/.test(serverMessage(error));
  return isPermanentFault(error) && errorCodeOf(error) !== PG_ERRORS.invalidSchemaName;
}

/**
 * @returns creates the table or adds its new columns, in a short separate transaction; does nothing when that is done. Reads
 *   the table and an external database's URL again after a second, because the account can change both while a writer
 *   lives. Resolves with true when the columns changed; rows must then be created again.
 */
function createPreparation(
  table: Awaited<ReturnType<typeof openSinkTable>>,
  explain: (error: unknown) => unknown,
): () => Promise<boolean> {
  let preparing: Promise<boolean> | undefined;
  const makeReady = async (): Promise<boolean> => {
    const { shape } = table.state();
    await table.makeReady().catch((error: unknown) => {
      throw explain(error);
    });
    return table.state().shape !== shape;
  };
  return async () => {
    if (table.isReady()) return false;
    preparing ??= makeReady().finally(() => {
      preparing = undefined;
    });
    return preparing;
  };
}

/**
 * Writes the results of one run into one table. `prepare`, then `toRows`, then `settledRows` for the statement that ends
 * the tasks (managed), or `writeExternal` before it (external).
 * @throws AppError not_found (field sink.database), invalid_request (the table has another key or column type),
 * temporarily_unavailable (an external database doesn't respond)
 */
export async function openSinkWriter(deps: SinkDeps, open: OpenSink) {
  const { runId, sink, source } = open;
  const table = await openSinkTable(deps, open);
  const { kind } = table.database().database;

  const explain = (error: unknown, what: string): unknown =>
    explainWrite(error, kind, `table ${sink.table} of ${table.database().database.id} could not be ${what}`);
  const prepare = createPreparation(table, (error) => explain(error, 'made ready'));
  /**
   * Call it after a failure of a statement with `settledRows`, or of `writeExternal`. Returns true when the table had been
   * dropped or changed and was read again; prepare, toRows and the statement must then be repeated. Throws AppError when
   * the sink can no longer be written.
   */
  const recover = async (error: unknown): Promise<boolean> => {
    const code = errorCodeOf(error);
    if (code.startsWith(LIMIT_EXCEEDED)) throw explainFault(error);
    if (!TABLE_CHANGED.test(code) && !hasNewHistory(error)) return false;
    if (code !== SINK_CHANGED) await table.readAgain();
    return true;
  };
  const writeThere = async (
    rows: readonly SinkRow[],
    options: { isFault: (error: unknown) => boolean; onCounts: ((counts: RowCounts) => void) | undefined },
  ) => writeRowsApart(table.database().run, upsertFor(table.state(), rows), rows, options);

  return {
    kind,
    /** The columns that identify a row. A row's `key` holds their values in this order, between NUL characters. */
    keyColumns: () => table.state().plan.columns.filter(({ isKey }) => isKey),
    /** An error fails only its task. The first relative time changes the table's plan. */
    toRows: (result: SinkResult) => {
      if (result.relative !== undefined) table.addRelative();
      const { plan, shape } = table.state();
      return toRows({ plan, shape, table: sink.table, runId, source, rowsPath: readPath(sink.rows) }, result);
    },
    prepare,
    /**
     * The rows for the engine's statement that settles their tasks, so that both are written or neither. Rows are locked in
     * key order. Throws an error for `recover` when the rows were created for another state of the table.
     */
    settledRows: (rows: readonly SinkRow[]): SettledRows =>
      toSettledRows(upsertFor(table.state(), rows), rows),
    /**
     * Upserts into the external database; idempotent. Returns the rejected rows. Throws an error for `recover` when the rows
     * were created for another state of the table, else AppError.
     * @param onCounts told what each transaction did to its rows
     */
    writeExternal: async (
      rows: readonly SinkRow[],
      onCounts?: (counts: RowCounts) => void,
    ): Promise<Map<SinkRow, StoredError>> => {
      try {
        const isFault = (error: unknown): boolean => isRefusal(error) && !mayHaveChanged(error);
        return await writeThere(rows, { isFault, onCounts }).catch(async (error: unknown) => {
          if (!(await recover(error))) throw error;
          await prepare();
          return writeThere(rows, { isFault: isRefusal, onCounts });
        });
      } catch (error) {
        if (errorCodeOf(error) === SINK_CHANGED) throw error;
        throw explain(error, 'written');
      }
    },
    recover,
  };
}
