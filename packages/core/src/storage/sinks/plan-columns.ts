import { AppError, META_COLUMNS, type DatabaseSink } from '@gleaner/contracts';
import type { TableInfo } from '../databases/table-info.ts';
import { readPath } from './read-path.ts';
import {
  COLUMN_TYPES,
  isMetaColumn,
  META_TYPES,
  readColumnType,
  type ColumnType,
  type SinkColumn,
} from '../columns/sink-column.ts';

export interface PlannedColumn {
  name: string;
  /** The table's own type where it has the column: a column never changes its type. */
  type: ColumnType;
  isKey: boolean;
  /** Not in the table yet. */
  isNew: boolean;
  /** Where the value stands in the row's data; empty: the field of the column's name. */
  path: readonly string[];
}

export interface ColumnPlan {
  columns: PlannedColumn[];
  key: string[];
  /** A field without a column under `contract: "freeze"`: why every task fails. */
  frozen?: string;
}

export interface PlanInput {
  sink: Pick<DatabaseSink, 'table' | 'contract'>;
  columns: readonly SinkColumn[];
  key: readonly string[];
  /** Undefined: the table is not there yet. */
  table: TableInfo | undefined;
}

const MAX_COLUMNS = 1500;

/** Names that every table of Postgres has already. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax']);

function refuse(field: string, detail: string, hint?: string): AppError {
  return new AppError('invalid_request', { field, detail, hint });
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}

function checkKey(table: TableInfo, key: readonly string[]): void {
  if (table.uniques.some((columns) => sameNames(columns, key))) return;
  const known =
    table.key.length > 0 ? `has the key ${table.key.join(', ')}` : 'has no unique index that could serve';
  throw refuse(
    'sink.key',
    `table ${table.name} ${known}, not ${key.join(', ')}`,
    'A table keeps its key: name that one, or another table.',
  );
}

/**
 * Which columns a sink writes, and with which types.
 * @throws AppError invalid_request when the table can't take such rows at all: another key, a foreign column type, a
 * name that is Postgres's own
 */
export function planColumns({ sink, columns, key, table }: PlanInput): ColumnPlan {
  const wanted = [
    ...META_COLUMNS.map((name) => ({ name, type: META_TYPES[name], path: undefined })),
    ...columns.filter(({ name }) => !isMetaColumn(name)),
  ];
  if (wanted.length > MAX_COLUMNS)
    throw refuse('sink', `${wanted.length} columns are more than the ${MAX_COLUMNS} a table may have`);
  const reserved = wanted.find(({ name }) => SYSTEM_COLUMNS.has(name));
  if (reserved) {
    throw refuse(
      'sink',
      `no table can have a column ${reserved.name}: Postgres keeps that name for itself`,
      'Give the field of the schema another name.',
    );
  }
  if (table) checkKey(table, key);

  const known = new Map(table?.columns.map((column) => [column.name, column.type]));
  const planned = wanted.map(({ name, type, path }): PlannedColumn => {
    const existing = known.get(name);
    const tableType = existing === undefined ? type : readColumnType(existing);
    if (tableType === undefined) {
      throw refuse(
        'sink.table',
        `column ${name} of table ${sink.table} is ${existing}, which sinks don't write`,
        `Sinks write ${COLUMN_TYPES.join(', ')}.`,
      );
    }
    return {
      name,
      type: tableType,
      isKey: key.includes(name),
      isNew: existing === undefined,
      path: readPath(path),
    };
  });
  for (const { name, isKey, type } of planned) {
    if (isKey && type === 'jsonb')
      throw refuse('sink.key', `column ${name} is jsonb and can't be part of a key`);
  }
  for (const name of key) {
    if (!planned.some((column) => column.name === name))
      throw refuse('sink.key', `there is no column ${name} among the fields of the target`);
  }
  const fresh = planned.filter((column) => column.isNew && !isMetaColumn(column.name));
  if (table === undefined || fresh.length === 0 || sink.contract === 'evolve')
    return { columns: planned, key: [...key] };
  if (sink.contract === 'discard')
    return { columns: planned.filter((column) => !fresh.includes(column)), key: [...key] };
  return {
    columns: planned,
    key: [...key],
    frozen: `table ${sink.table} has no column ${fresh.map((column) => column.name).join(', ')}, and its contract is freeze`,
  };
}
