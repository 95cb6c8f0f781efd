import { invalid } from '../../platform/invalid-request.ts';
import { COLUMN_TYPES, META_COLUMNS, type ColumnType, type DatabaseSink } from '@gleaner/contracts';
import { MARK, readTableState, type TableInfo } from '../databases/table-info.ts';
import { readPath } from './read-path.ts';
import { isMetaColumn, META_TYPES, readColumnType, type SinkColumn } from '../columns/columns.ts';
import { quoteIdentifier, quoteLiteral, quoteTable, type SqlRunner } from '../databases/sql-text.ts';
import type { ForeignTransaction, TransactionRows } from '../external/foreign-transaction.ts';

export interface PlannedColumn {
  name: string;
  /** The table's type if it has the column, because a column never changes its type. */
  type: ColumnType;
  isKey: boolean;
  /** Not in the table yet. */
  isNew: boolean;
  /** Path of the value in the row's data; when empty, the field has the column's name. */
  path: readonly string[];
}

export interface ColumnPlan {
  columns: PlannedColumn[];
  key: string[];
  /** Why every task fails: a field without a column under `contract: "freeze"`. */
  frozen?: string;
}

export interface PlanInput {
  sink: Pick<DatabaseSink, 'table' | 'contract'>;
  columns: readonly SinkColumn[];
  key: readonly string[];
  /** Undefined when the table doesn't exist yet. */
  table: TableInfo | undefined;
}

const MAX_COLUMNS = 1500;

/** System columns of every Postgres table. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax']);

function checkKey(table: TableInfo, key: readonly string[]): void {
  if (table.uniques.some((names) => names.length === key.length && names.every((name) => key.includes(name))))
    return;
  const known = table.key.length > 0 ? `has the key ${table.key.join(', ')}` : 'has no suitable unique index';
  throw invalid(
    'sink.key',
    `table ${table.name} ${known}, not ${key.join(', ')}`,
    'The key of a table cannot change. Use this key, or another table.',
  );
}

/**
 * Decides which columns a sink writes, and their types.
 * @throws AppError invalid_request when the table can't store the rows: another key, an unsupported column type, or a
 * reserved name
 */
export function planColumns({ sink, columns, key, table }: PlanInput): ColumnPlan {
  const wanted = [
    ...META_COLUMNS.map((name) => ({ name, type: META_TYPES[name], path: undefined })),
    ...columns.filter(({ name }) => !isMetaColumn(name)),
  ];
  if (wanted.length > MAX_COLUMNS)
    throw invalid('sink', `${wanted.length} columns are more than the ${MAX_COLUMNS} a table may have`);
  const reserved = wanted.find(({ name }) => SYSTEM_COLUMNS.has(name));
  if (reserved)
    throw invalid(
      'sink',
      `a table cannot have a column ${reserved.name}, because Postgres reserves this name`,
      'Rename the field in the schema.',
    );
  if (table) checkKey(table, key);

  const known = new Map(table?.columns.map((column) => [column.name, column.type]));
  const planned = wanted.map(({ name, type, path }): PlannedColumn => {
    const existing = known.get(name);
    const tableType = existing === undefined ? type : readColumnType(existing);
    if (tableType === undefined)
      throw invalid(
        'sink.table',
        `column ${name} of table ${sink.table} is ${existing}, which sinks don't write`,
        `Sinks write ${COLUMN_TYPES.join(', ')}.`,
      );
    const isNew = existing === undefined;
    return { name, type: tableType, isKey: key.includes(name), isNew, path: readPath(path) };
  });
  const json = planned.find(({ isKey, type }) => isKey && type === 'jsonb');
  if (json) throw invalid('sink.key', `column ${json.name} is jsonb, which cannot be part of a key`);
  const absent = key.find((name) => !planned.some((column) => column.name === name));
  if (absent !== undefined) throw invalid('sink.key', `the target has no field ${absent}`);
  const fresh = planned.filter((column) => column.isNew && !isMetaColumn(column.name));
  const whole = { columns: planned, key: [...key] };
  if (table === undefined || fresh.length === 0 || sink.contract === 'evolve') return whole;
  if (sink.contract === 'discard')
    return { ...whole, columns: planned.filter((column) => !fresh.includes(column)) };
  const missing = fresh.map((column) => column.name).join(', ');
  return { ...whole, frozen: `table ${sink.table} has no column ${missing}, and its contract is freeze` };
}

export interface SinkTable {
  schema: string;
  table: string;
}

type TableColumn = Pick<PlannedColumn, 'name' | 'type' | 'isKey'>;

/** Metadata and key columns are not null, so that every row can be identified. */
function columnText({ name, type, isKey }: TableColumn, isKeyFixed: boolean): string {
  return `${quoteIdentifier(name)} ${type}${isKeyFixed && (isKey || isMetaColumn(name)) ? ' NOT NULL' : ''}`;
}

/** The statement that makes a table. @param table its quoted name */
export function createText(
  table: string,
  { columns, key }: { columns: readonly TableColumn[]; key: readonly string[] },
): string {
  const lines = [
    ...columns.map((column) => columnText(column, true)),
    `PRIMARY KEY (${key.map(quoteIdentifier).join(', ')})`,
  ];
  return `CREATE TABLE ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)`;
}

/** A database in which a sink's table is. */
export interface TableServer {
  read<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;
  run(transaction: ForeignTransaction): Promise<TransactionRows>;
  /** How long creating or changing a table waits for its lock. */
  lockTimeout: string;
}

/** How often the change of a table begins again because another process changed it. */
const MAX_TRIES = 5;

/**
 * Creates the table or adds missing columns, in one transaction that does nothing when the table is no longer as it was
 * planned for. Concurrent workers wait for each other, so the plan is made again from the table's new state.
 */
export async function prepareTable(
  server: TableServer,
  place: SinkTable,
  plan: (table: TableInfo | undefined) => ColumnPlan,
): Promise<ColumnPlan> {
  const name = quoteTable(place.schema, place.table);
  for (let tries = 1; ; tries += 1) {
    const { table, state } = await server.read((sql) => readTableState(sql, place.schema, place.table));
    const found = plan(table);
    const added = found.columns
      .filter((column) => column.isNew)
      .map((column) => `ADD COLUMN IF NOT EXISTS ${columnText(column, false)}`);
    if (found.frozen !== undefined || added.length === 0) return found;
    const changes = table
      ? [`ALTER TABLE ${name} ${added.join(', ')}`]
      : [createText(name, found), `COMMENT ON TABLE ${name} IS ${quoteLiteral(MARK)}`];
    const rows = await server.run({
      mode: 'read write',
      statements: [
        { text: `SET LOCAL lock_timeout = '${server.lockTimeout}'` },
        {
          text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text',
          parameters: [`gleaner sink ${place.schema}.${place.table}`],
        },
        state,
        ...changes.map((text) => ({ text })),
      ],
    });
    if (rows === null && tries >= MAX_TRIES) throw new Error('the table changes all the time');
  }
}
