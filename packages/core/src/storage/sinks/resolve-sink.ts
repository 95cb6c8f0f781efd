import { invalid } from '../../platform/invalid-request.ts';
import type { AppError, DatabaseSink, ParserSchema, PrebuiltApi, ColumnType } from '@gleaner/contracts';
import { outputColumns } from '@gleaner/extractors';
import { z } from 'zod';
import { readPath } from './read-path.ts';
import type { OpenSink } from './sink-table.ts';
import type { SinkColumn } from '../columns/columns.ts';

/** The target of a run, for deriving columns. */
export type SinkSource = { type: 'parser'; schema: ParserSchema } | { type: 'api'; api: PrebuiltApi };

/** A sink with the columns of its rows, for openSinkWriter. */
export type ResolvedSink = Pick<OpenSink, 'sink' | 'columns' | 'naturalKey'>;

function noList(rows: string): AppError {
  return invalid('sink.rows', `${rows} is not a list of objects in the target's data`);
}

interface JsonSchema {
  type?: string | string[];
  format?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
}

const SCALAR_TYPES: Readonly<Record<string, ColumnType>> = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
};

/** zod represents a nullable value as a list of two types or an alternative of two schemas. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : types };
  }
  const [only, ...others] = (schema.anyOf ?? []).filter((one) => one.type !== 'null');
  return only !== undefined && others.length === 0 ? only : schema;
}

/** The column that holds values of a JSON Schema. */
export function columnType(written: JsonSchema): ColumnType {
  const { type, format } = withoutNull(written);
  if (type === 'string' && format === 'date-time') return 'timestamptz';
  if (type === 'string' && format === 'date') return 'date';
  return typeof type === 'string' ? (SCALAR_TYPES[type] ?? 'jsonb') : 'jsonb';
}

function descend(schema: JsonSchema | undefined, path: readonly string[]): JsonSchema | undefined {
  let found = schema;
  for (const name of path) found = found && withoutNull(found).properties?.[name];
  return found && withoutNull(found);
}

function resolveApi(sink: DatabaseSink, { output, rowKey }: PrebuiltApi): ResolvedSink {
  // zod's JSON Schema has more members than these.
  const whole = z.toJSONSchema(output, { io: 'output' }) as JsonSchema;
  const rows = sink.rows ?? rowKey.list;
  const list = descend(whole, readPath(rows));
  const row = rows === undefined ? whole : list?.items && withoutNull(list.items);
  if (row?.properties === undefined) throw noList(rows ?? '');
  const fields = Object.entries(row.properties).map(([name, schema]): SinkColumn => ({
    name,
    type: columnType(schema),
    nullable: true,
    key: false,
  }));
  if (rows !== rowKey.list) return { sink, columns: fields, naturalKey: [] };
  const added = rowKey.key
    .filter(({ column }) => !fields.some(({ name }) => name === column))
    .map(({ column, path }): SinkColumn => {
      const schema = descend(row, readPath(path));
      return { name: column, type: schema ? columnType(schema) : 'text', nullable: true, key: false, path };
    });
  return {
    sink: rows === undefined ? sink : { ...sink, rows },
    columns: [...fields, ...added],
    naturalKey: rowKey.key.map(({ column }) => column),
  };
}

/** The top level of a target's answers as columns. */
export function answerColumns(source: SinkSource): Pick<SinkColumn, 'name' | 'type' | 'path'>[] {
  if (source.type === 'parser') return outputColumns(source.schema) ?? [];
  const whole = z.toJSONSchema(source.api.output, { io: 'output' }) as JsonSchema;
  return Object.entries(whole.properties ?? {}).map(([name, schema]) => ({ name, type: columnType(schema) }));
}

/**
 * The columns and default key of a sink for a target.
 * @throws AppError invalid_request with field sink.rows
 */
export function resolveSink(sink: DatabaseSink, source: SinkSource): ResolvedSink {
  if (source.type === 'api') return resolveApi(sink, source.api);
  const columns = outputColumns(source.schema, sink.rows?.replace(/^\$\./, ''));
  if (!columns) throw noList(sink.rows ?? '');
  return { sink, columns };
}
