import { AppError, isApiId, PREBUILT_APIS, type DatabaseSink, type RowKeyColumn } from '@gleaner/contracts';
import { outputColumns } from '@gleaner/extractors';
import { z } from 'zod';
import type { ParserCache } from '../parsers/parser-cache.ts';
import { openSinkWriter, type SinkDeps, type SinkWriter } from '../sinks/index.ts';
import type { SinkColumn } from '../sinks/sink-column.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** A sink's columns as its run's target gives them. */
interface SinkShape {
  columns: SinkColumn[];
  naturalKey: readonly string[] | undefined;
  /** The list whose elements are rows. */
  rows: string | undefined;
  /** Key columns that stand deeper in a row. */
  lifted: readonly RowKeyColumn[];
}

type JsonSchema = Readonly<Record<string, unknown>>;

const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null ? (value as JsonSchema) : {};

/** The part of a nullable schema that is not null. */
const notNull = (schema: JsonSchema): JsonSchema => {
  const options: unknown = schema.anyOf;
  return Array.isArray(options)
    ? asSchema(options.find((option) => asSchema(option).type !== 'null') ?? options[0])
    : schema;
};

const COLUMN_TYPES: Readonly<Record<string, SinkColumn['type']>> = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
};

const toColumns = (row: JsonSchema): SinkColumn[] =>
  Object.entries(asSchema(row.properties)).map(([name, property]) => {
    const { type, format } = notNull(asSchema(property));
    const column = COLUMN_TYPES[String(type)] ?? 'jsonb';
    return { name, type: format === 'date-time' ? 'timestamptz' : column, nullable: true, key: false };
  });

const apiShape = (id: string, sink: DatabaseSink): SinkShape => {
  if (!isApiId(id)) throw new AppError('not_found', { field: 'target.id' });
  const api = PREBUILT_APIS[id];
  const answer = asSchema(z.toJSONSchema(api.output, { io: 'output', unrepresentable: 'any' }));
  const rowKey: { list?: string; key: readonly RowKeyColumn[] } = api.rowKey;
  const rows = sink.rows?.replace(/^\$\./, '') ?? rowKey.list;
  const list = rows === undefined ? undefined : notNull(asSchema(asSchema(answer.properties)[rows]));
  if (list !== undefined && list.type !== 'array') {
    throw new AppError('invalid_request', {
      field: 'sink.rows',
      detail: `${rows} is not a list of the answer`,
    });
  }
  const columns = toColumns(list === undefined ? answer : notNull(asSchema(list.items)));
  const isNatural = rows === rowKey.list;
  const lifted = isNatural
    ? rowKey.key.filter(({ column }) => !columns.some(({ name }) => name === column))
    : [];
  return {
    columns: [
      ...lifted.map(({ column }): SinkColumn => ({
        name: column,
        type: 'text',
        nullable: false,
        key: false,
      })),
      ...columns,
    ],
    naturalKey: isNatural ? rowKey.key.map(({ column }) => column) : undefined,
    rows,
    lifted,
  };
};

const parserShape = async (
  parsers: ParserCache,
  target: Extract<TaskTarget, { type: 'parser' }>,
  sink: DatabaseSink,
): Promise<SinkShape> => {
  const { schema } = await parsers.load(target.parserId, target.version);
  const rows = sink.rows?.replace(/^\$\./, '');
  const columns = outputColumns(schema, rows);
  if (columns === undefined) {
    throw new AppError('invalid_request', {
      field: 'sink.rows',
      detail: `the parser has no list of objects named ${rows}`,
    });
  }
  return { columns, naturalKey: undefined, rows, lifted: [] };
};

const readPath = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => asSchema(value)[name], row);

const lift = (shape: SinkShape, data: unknown): unknown => {
  if (shape.lifted.length === 0) return data;
  const add = (row: unknown): unknown => ({
    ...asSchema(row),
    ...Object.fromEntries(shape.lifted.map(({ column, path }) => [column, readPath(row, path) ?? null])),
  });
  if (shape.rows === undefined) return add(data);
  const list = asSchema(data)[shape.rows];
  return { ...asSchema(data), [shape.rows]: Array.isArray(list) ? list.map(add) : list };
};

export interface RunSinkDeps extends SinkDeps {
  parsers: ParserCache;
}

/**
 * Opens the sink of a run for writing; when a run is created, to see that it can be written.
 * @throws AppError not_found (sink.database), invalid_request (sink.key, sink.rows, a column of another type),
 * temporarily_unavailable
 */
export const openRunSink = async (
  deps: RunSinkDeps,
  run: { id: string; accountId: string; target: TaskTarget; sink: DatabaseSink },
): Promise<SinkWriter> => {
  const { target, sink } = run;
  if (target.type === 'schema') throw new Error('a preview has no sink');
  const shape =
    target.type === 'api' ? apiShape(target.id, sink) : await parserShape(deps.parsers, target, sink);
  const writer = await openSinkWriter(deps, {
    accountId: run.accountId,
    runId: run.id,
    sink: shape.rows === undefined ? sink : { ...sink, rows: shape.rows },
    columns: shape.columns,
    naturalKey: shape.naturalKey,
  });
  return { ...writer, toRows: (result) => writer.toRows({ ...result, data: lift(shape, result.data) }) };
};
