import { AppError, type DatabaseSink, type StoredError } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS, type Database } from '@gleaner/db';
import { readDatabase, type DatabaseRow } from '../databases/database-record.ts';
import { runOn, type ExternalDatabases } from '../external/external-databases.ts';
import { runnerOf, runTransaction } from '../external/foreign-transaction.ts';
import { serverMessage } from '../external/server-message.ts';
import { readTable } from '../databases/table-info.ts';
import { planColumns, type ColumnPlan, type PlannedColumn } from './plan-columns.ts';
import { prepareTable, type TableServer } from './prepare-table.ts';
import { chooseKey } from './choose-key.ts';
import type { SinkColumn } from '../columns/sink-column.ts';
import type { SinkRow } from './sink-row.ts';
import { toRows, type SinkResult } from './to-rows.ts';
import { readPath } from './read-path.ts';
import { elementOfParameter, ownParameter, upsertStatement } from './upsert-statement.ts';
import {
  EXTERNAL_LIMITS,
  toSettledRows,
  writeRowsApart,
  type SettledRows,
  type Upsert,
} from './write-rows.ts';

export interface SinkDeps {
  db: Database;
  external: ExternalDatabases;
}

export interface OpenSink {
  accountId: string;
  /** Written as `_run_id`. */
  runId: string;
  sink: DatabaseSink;
  /** The columns of the rows; with `sink.rows`, those of the list's elements. */
  columns: readonly SinkColumn[];
  /** The key when neither the sink nor the schema names one. */
  naturalKey?: readonly string[] | undefined;
}

/**
 * Writes the results of one run into one table. `prepare`, then `toRows`, then `settledRows` for the statement that ends
 * the tasks (managed), or `writeExternal` before it (external).
 */
export interface SinkWriter {
  readonly kind: 'managed' | 'postgres';
  /** The columns that identify a row. A row's `key` holds their values in this order, between NUL characters. */
  keyColumns(): Pick<PlannedColumn, 'name' | 'type'>[];
  /** Pure. An error fails only its task. */
  toRows(result: SinkResult): { rows: SinkRow[] } | { error: StoredError };
  /**
   * Creates the table or adds its new columns, in a short separate transaction; does nothing when that is done. Reads the
   * table and an external database's URL again after a second, because the account can change both while a writer lives.
   * Returns true when the columns changed; rows must then be created again.
   */
  prepare(): Promise<boolean>;
  /**
   * The rows for the engine's statement that settles their tasks, so that both are written or neither. Rows are locked in
   * key order. Throws an error for `recover` when the rows were created for another state of the table.
   */
  settledRows(rows: readonly SinkRow[]): SettledRows;
  /**
   * Upserts into the external database; idempotent. Returns the rejected rows. Throws an error for `recover` when the rows
   * were created for another state of the table, else AppError.
   */
  writeExternal(rows: readonly SinkRow[]): Promise<Map<SinkRow, StoredError>>;
  /**
   * Call it after a failure of a statement with `settledRows`, or of `writeExternal`. Returns true when the table had been
   * dropped or changed and was read again; prepare, toRows and the statement must then be repeated. Throws AppError when
   * the sink can no longer be written.
   */
  recover(error: unknown): Promise<boolean>;
}

const SINK_CHANGED = 'SINK_CHANGED';

/** How long the known state of a table is used without reading it again. */
const PLAN_AGE_MS = 1_000;

/** Errors of a changed table: undefined table, column or schema, another type or key, or rows for another state. */
const TABLE_CHANGED = /^(42P01|42703|3F000|42804|42P10|22P02|42P16|SINK_CHANGED)$/;

/** The error class for limits, which retries can't pass: too many columns, a row wider than a page. */
const LIMIT_EXCEEDED = '54';

interface Place extends TableServer {
  database: DatabaseRow;
  schema: string;
}

async function openPlace(deps: SinkDeps, database: DatabaseRow): Promise<Place> {
  if (database.kind === 'managed') {
    return {
      database,
      schema: database.id,
      read: (work) => work(deps.db.sql),
      run: (transaction) => runTransaction(deps.db.sql, transaction),
    };
  }
  const run = runOn(deps.external, database);
  const { schema } = await deps.external.run(database, { mode: 'read only', statements: [] });
  return { database, schema, run, read: (work) => work(runnerOf(run, 'read only', EXTERNAL_LIMITS)) };
}

function unavailable(detail: string, cause: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail, retryAfterSeconds: 5, cause });
}

function explainFault(error: unknown): unknown {
  const code = errorCodeOf(error);
  const detail = serverMessage(error);
  if (code === PG_ERRORS.lockNotAvailable)
    return unavailable('another session holds a lock on the table', error);
  if (code === '42501')
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

interface WriterState {
  plan: ColumnPlan;
  upsert: Upsert;
  isReady: boolean;
  /** The columns of this state. Rows have cells in their order and types, so rows of another state don't fit. */
  shape: string;
}

/**
 * @throws AppError not_found (field sink.database), invalid_request (the table has another key or column type),
 * temporarily_unavailable (an external database doesn't respond)
 */
export async function openSinkWriter(deps: SinkDeps, open: OpenSink): Promise<SinkWriter> {
  const { accountId, runId, sink, columns } = open;
  const findDatabase = (): Promise<DatabaseRow> =>
    readDatabase(deps.db.orm, { accountId, id: sink.database, field: 'sink.database' });
  let place = await openPlace(deps, await findDatabase());
  const { kind } = place.database;
  const key = chooseKey(open);
  const tableAt = ({ schema }: Place) => ({ schema, table: sink.table });
  const plan = (info: Parameters<typeof planColumns>[0]['table']): ColumnPlan =>
    planColumns({ sink, columns, key, table: info });
  const readPlan = async (): Promise<ColumnPlan> =>
    plan(await place.read((sql) => readTable(sql, place.schema, sink.table)));

  const buildState = (found: ColumnPlan): WriterState => ({
    plan: found,
    upsert: {
      statement: upsertStatement(
        tableAt(place),
        found,
        sink.nulls,
        kind === 'managed' ? elementOfParameter : ownParameter,
      ),
      columns: found.columns,
      nulls: sink.nulls,
    },
    isReady: found.frozen !== undefined || !found.columns.some((column) => column.isNew),
    shape: JSON.stringify([found.frozen, ...found.columns.map(({ name, type }) => [name, type])]),
  });
  let state = buildState(await readPlan());
  let readAt = performance.now();
  let preparing: Promise<boolean> | undefined;

  /** An error of an external database ends its tasks, because retries could go on forever. Our own errors stay unchanged. */
  const explain = (error: unknown, what: string): unknown => {
    const explained = explainFault(error);
    if (explained instanceof AppError || kind === 'managed') return explained;
    return unavailable(
      `table ${sink.table} of ${place.database.id} could not be ${what}: ${serverMessage(error)}`,
      error,
    );
  };
  const readAgain = async (): Promise<void> => {
    const database = await findDatabase();
    if (kind !== 'managed' && database.updatedAt !== place.database.updatedAt)
      place = await openPlace(deps, database);
    state = buildState(await readPlan());
    readAt = performance.now();
  };
  const makeReady = async (): Promise<boolean> => {
    const { shape } = state;
    try {
      if (performance.now() - readAt > PLAN_AGE_MS) await readAgain();
      if (state.isReady) return state.shape !== shape;
      const there = tableAt(place);
      state = buildState(await prepareTable(place, there, plan));
      return state.shape !== shape;
    } catch (error) {
      throw explain(error, 'made ready');
    }
  };
  const prepare = async (): Promise<boolean> => {
    if (state.isReady && performance.now() - readAt <= PLAN_AGE_MS) return false;
    preparing ??= makeReady().finally(() => {
      preparing = undefined;
    });
    return preparing;
  };
  const upsertFor = (rows: readonly SinkRow[]): Upsert => {
    if (state.isReady && rows.every((row) => row.shape === state.shape)) return state.upsert;
    throw Object.assign(new Error('the table changed after these rows were created'), { code: SINK_CHANGED });
  };
  const recover = async (error: unknown): Promise<boolean> => {
    const code = errorCodeOf(error);
    if (code.startsWith(LIMIT_EXCEEDED)) throw explainFault(error);
    if (!TABLE_CHANGED.test(code)) return false;
    if (code !== SINK_CHANGED) await readAgain();
    return true;
  };
  const writeThere = async (rows: readonly SinkRow[]): Promise<Map<SinkRow, StoredError>> => {
    const upsert = upsertFor(rows);
    return writeRowsApart(place.run, upsert, rows);
  };

  return {
    kind,
    keyColumns: () => state.plan.columns.filter(({ isKey }) => isKey),
    toRows: (result) =>
      toRows(
        { plan: state.plan, shape: state.shape, table: sink.table, runId, rowsPath: readPath(sink.rows) },
        result,
      ),
    prepare,
    settledRows: (rows) => toSettledRows(upsertFor(rows), rows),
    writeExternal: async (rows) => {
      try {
        return await writeThere(rows).catch(async (error: unknown) => {
          if (!(await recover(error))) throw error;
          await prepare();
          return writeThere(rows);
        });
      } catch (error) {
        if (errorCodeOf(error) === SINK_CHANGED) throw error;
        throw explain(error, 'written');
      }
    },
    recover,
  };
}
