import { AppError, type DatabaseSink } from '@gleaner/contracts';
import type { SinkColumn } from '../columns/sink-column.ts';

export interface KeyInput {
  sink: Pick<DatabaseSink, 'key' | 'rows'>;
  columns: readonly SinkColumn[];
  naturalKey?: readonly string[] | undefined;
}

/**
 * The columns that identify a row: the sink's own, else the fields marked `key`, else an API's natural identifier, else
 * `_url`.
 * @throws AppError invalid_request with field sink.key when all elements of a page's list would have the same key
 */
export function chooseKey({ sink, columns, naturalKey }: KeyInput): string[] {
  const marked = columns.filter((column) => column.key).map((column) => column.name);
  const key = sink.key ?? [marked, naturalKey ?? [], ['_url']].find((names) => names.length > 0) ?? [];
  if (new Set(key).size !== key.length)
    throw new AppError('invalid_request', { field: 'sink.key', detail: 'names a column twice' });
  if (sink.rows !== undefined && key.every((name) => name.startsWith('_'))) {
    throw new AppError('invalid_request', {
      field: 'sink.key',
      detail: `all rows of one page would have the same key: ${key.join(', ')}`,
      hint: 'Name a field of the list’s elements in sink.key, or mark one with `key` in the schema.',
    });
  }
  return [...key];
}
