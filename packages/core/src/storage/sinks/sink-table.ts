import { randomUUID } from 'node:crypto';
import { invalid } from '../../platform/invalid-request.ts';
import { type DatabaseSink } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { readDatabase, type DatabaseRow } from '../databases/database-record.ts';
import { SHORT_LOCK, untilUnlocked } from '../databases/short-locks.ts';
import { readTableState, type TableInfo } from '../databases/table-info.ts';
import { registerFeed } from '../databases/register-feed.ts';
import {
  beginFeed,
  HISTORY_COLUMNS,
  readFeed,
  RELATIVE,
  SEEN_BY,
  type Feed,
  type FeedSettings,
} from '../databases/feed-tables.ts';
import { runOn, type ExternalDatabases } from '../external/external-databases.ts';
import type { SinkColumn } from '../columns/columns.ts';
import { readColumnType, type TableType } from '../columns/table-types.ts';
import { runnerOf, runTransaction, type Statement } from '../external/foreign-transaction.ts';
import { planColumns, type ColumnPlan, prepareTable, type TableServer } from './prepare-table.ts';
import { historyStatements } from './history-statements.ts';
import { upsertStatement, EXTERNAL_LIMITS } from './write-rows.ts';

/**
 * The columns that identify a row: the sink's own, else the fields marked `key`, else an API's natural identifier, else
 * `_url`.
 * @throws AppError invalid_request with field sink.key when all elements of a page's list would have the same key
 */
export function chooseKey({
  sink,
  columns,
  naturalKey,
}: Pick<OpenSink, 'columns' | 'naturalKey'> & { sink: Pick<DatabaseSink, 'key' | 'rows'> }): string[] {
  const marked = columns.filter((column) => column.key).map((column) => column.name);
  const key = sink.key ?? [marked, naturalKey ?? [], ['_url']].find((names) => names.length > 0) ?? [];
  if (new Set(key).size !== key.length) throw invalid('sink.key', 'names a column twice');
  if (sink.rows !== undefined && key.every((name) => name.startsWith('_')))
    throw invalid(
      'sink.key',
      `all rows of one page would have the same key: ${key.join(', ')}`,
      'Name a field of the list’s elements in sink.key, or mark one with `key` in the schema.',
    );
  return [...key];
}

/** How long the known state of a table is used without reading it again. */
const PLAN_AGE_MS = 1_000;

export interface SinkDeps {
  db: Database;
  external: ExternalDatabases;
}

export interface OpenSink {
  accountId: string;
  /** Written as `_run_id`. */
  runId: string;
  /** The cron or workflow of the run. */
  source?: string | undefined;
  sink: DatabaseSink;
  /** The columns of the rows; with `sink.rows`, those of the list's elements. */
  columns: readonly SinkColumn[];
  /** The key when neither the sink nor the schema names one. */
  naturalKey?: readonly string[] | undefined;
}

/** A database that can be written, and the schema with its tables. */
interface OpenDatabase extends TableServer {
  database: DatabaseRow;
  schema: string;
}

async function openDatabase(deps: SinkDeps, database: DatabaseRow): Promise<OpenDatabase> {
  if (database.kind === 'managed') {
    const { db } = deps;
    const { id: schema, accountId } = database;
    return {
      database,
      schema,
      lockTimeout: SHORT_LOCK,
      read: (work) => work(db.sql),
      run: (transaction) =>
        untilUnlocked({ db, schema }, () => db.inTurn(accountId, () => runTransaction(db.sql, transaction))),
    };
  }
  const run = runOn(deps.external, database);
  const { schema } = await deps.external.run(database, { mode: 'read only', statements: [] });
  return {
    database,
    schema,
    lockTimeout: '10s',
    run,
    read: (work) => work(runnerOf(run, 'read only', EXTERNAL_LIMITS)),
  };
}

/** Types of the columns that a sink's table has. @throws AppError not_found (sink.database), temporarily_unavailable */
export async function readTableTypes(
  deps: SinkDeps,
  { accountId, sink }: Pick<OpenSink, 'accountId' | 'sink'>,
): Promise<ReadonlyMap<string, TableType>> {
  const wanted = { accountId, id: sink.database, field: 'sink.database' };
  const { schema, read } = await openDatabase(deps, await readDatabase(deps.db.orm, wanted));
  const { table } = await read((sql) => readTableState(sql, schema, sink.table));
  return new Map(table?.columns.map(({ name, type }) => [name, readColumnType(type) ?? type]));
}

export type TableState = ReturnType<typeof buildState>;

/** What was read of a table. */
interface Found {
  table: TableInfo | undefined;
  feed: Feed | undefined;
}

/** What is known of a table, and how rows are written to it as it is. */
function buildState(
  { database, schema }: OpenDatabase,
  { table, nulls }: DatabaseSink,
  plan: ColumnPlan,
  found: Found,
) {
  // Those of `engine.write_rows` are elements of one parameter.
  const parameter = (place: number): string =>
    database.kind === 'managed' ? `(($1::text[])[${place}])` : `$${place}`;
  // Tables of managed databases have no triggers of the account.
  const isCounted = database.kind !== 'managed';
  const statementFor = (countsKept: boolean): string =>
    upsertStatement({ schema, table }, plan, nulls, { parameter, isCounted, countsKept });
  const place = { schema, table };
  const history =
    found.table && found.feed
      ? historyStatements({ place, table: found.table, plan, nulls, feed: found.feed, parameter }, isCounted)
      : undefined;
  return {
    plan,
    upsert: {
      history,
      statement: statementFor(false),
      ...(nulls === 'keep' ? { keeping: statementFor(true) } : {}),
      columns: plan.columns,
      nulls,
      isCounted,
    },
    isReady: plan.frozen !== undefined || !plan.columns.some((column) => column.isNew),
    /** The columns of this state. Rows have cells in their order and types, so rows of another state don't fit. */
    shape: JSON.stringify([
      plan.frozen,
      found.feed && [found.feed.id, found.feed.version],
      ...plan.columns.map(({ name, type }) => [name, type]),
    ]),
  };
}

/** The settings of the feed of a table that a sink makes. */
function sinkFeed({ volatile = [], missing = 'keep' }: DatabaseSink): FeedSettings {
  return { volatile, missing };
}

/** @throws AppError invalid_request when the table has another history than the sink asks for, or a field has the name of its columns */
function checkHistory(sink: DatabaseSink, { table, feed }: Found, columns: readonly SinkColumn[]): void {
  const { history, missing, expect } = sink;
  const hint = `PUT /v1/databases/${sink.database}/tables/${sink.table} {"history": true} begins its history.`;
  if (history !== true && [sink.volatile, missing, expect].some((given) => given !== undefined) && !feed)
    throw invalid('sink.history', 'volatile, missing and expect are settings of a table’s history', hint);
  if (missing !== undefined && feed && feed.missing !== missing)
    throw invalid(
      'sink.missing',
      `table ${sink.table} has "missing": "${feed.missing}"`,
      `PUT /v1/databases/${sink.database}/tables/${sink.table} {"missing": "${missing}"} changes it.`,
    );
  if (history === true && table && !feed)
    throw invalid('sink.history', `table ${sink.table} exists and keeps no changes`, hint);
  const reserved = columns.find(({ name }) => HISTORY_COLUMNS.includes(name));
  if (reserved && (feed || history === true))
    throw invalid(
      'sink.table',
      `${reserved.name} is reserved: tables with history have ${HISTORY_COLUMNS.join(', ')}`,
      'Rename the field in the schema.',
    );
}

/** A plan with a column that tells of the row. */
function withColumn(
  plan: ColumnPlan,
  table: TableInfo | undefined,
  name: string,
  type: TableType,
): ColumnPlan {
  const isNew = table?.columns.some((column) => column.name === name) !== true;
  return { ...plan, columns: [...plan.columns, { name, type, isKey: false, isNew, path: [] }] };
}

/** The table of a sink, which its account can change or drop while a writer lives. */
export async function openSinkTable(deps: SinkDeps, open: OpenSink) {
  const { accountId, sink, columns } = open;
  const key = chooseKey(open);
  /** Whether values of this writer were read from a relative time. */
  let hasRelative = false;
  const plan = ({ table, feed }: Found): ColumnPlan => {
    checkHistory(sink, { table, feed }, columns);
    let planned = planColumns({ sink, columns, key, table });
    const isThere = table?.columns.some(({ name }) => name === RELATIVE) === true;
    if (feed && (hasRelative || isThere)) planned = withColumn(planned, table, RELATIVE, 'jsonb');
    if (feed !== undefined && feed.missing !== 'keep' && open.source !== undefined)
      planned = withColumn(planned, table, SEEN_BY, 'text[]');
    return planned;
  };
  const findDatabase = (): Promise<DatabaseRow> =>
    readDatabase(deps.db.orm, { accountId, id: sink.database, field: 'sink.database' });
  let current = await openDatabase(deps, await findDatabase());
  const readFound = async (): Promise<Found> =>
    current.read(async (sql) => {
      const { table } = await readTableState(sql, current.schema, sink.table);
      return { table, feed: await readFeed(sql, current.schema, table) };
    });
  let found = await readFound();
  const stateOf = () => buildState(current, sink, plan(found), found);
  let state = stateOf();
  let readAt = performance.now();
  const isFresh = (): boolean => performance.now() - readAt <= PLAN_AGE_MS;

  /** Reads the table again, and an external database's URL. */
  const readAgain = async (): Promise<void> => {
    const database = await findDatabase();
    const hasChanged = database.updatedAt !== current.database.updatedAt;
    if (database.kind !== 'managed' && hasChanged) current = await openDatabase(deps, database);
    found = await readFound();
    state = stateOf();
    readAt = performance.now();
  };

  return {
    database: (): OpenDatabase => current,
    state: () => state,
    /** Whether the table has all columns, and that is not long known. */
    isReady: (): boolean => state.isReady && isFresh(),
    readAgain,
    /** Adds the column of relative times to a table with history; it is made with the next `makeReady`. */
    addRelative: (): void => {
      if (hasRelative || !found.feed) return;
      hasRelative = true;
      state = stateOf();
    },
    /** Creates the table or adds its new columns; reads it before, when its state is old. */
    makeReady: async (): Promise<void> => {
      if (!isFresh()) await readAgain();
      if (state.isReady) return;
      const at = { schema: current.schema, table: sink.table };
      // Tables are made with their history.
      let begin: Statement[] = [];
      if (sink.history === true) {
        await registerFeed(deps.db.sql, { accountId, database: sink.database, table: at.table });
        begin = beginFeed(at.schema, at.table, randomUUID(), sinkFeed(sink));
      }
      const planned = (table: TableInfo | undefined): ColumnPlan => {
        const made = planColumns({ sink, columns, key, table });
        const own = state.plan.columns.filter(({ name }) => HISTORY_COLUMNS.includes(name));
        return table ? own.reduce((all, { name, type }) => withColumn(all, table, name, type), made) : made;
      };
      await prepareTable(current, at, planned, begin);
      await readAgain();
    },
  };
}
