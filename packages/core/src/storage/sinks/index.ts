export { columnType, resolveSink, type ResolvedSink, type SinkSource } from './resolve-sink.ts';
export { openSinkWriter, type SinkWriter } from './sink-writer.ts';
export type { OpenSink, SinkDeps } from './sink-table.ts';
export { bindColumns, writeSettledRows, type SettledRows } from './write-rows.ts';
export type { SinkRow } from './sink-row.ts';
export type { SinkResult } from './to-rows.ts';
export type { SinkColumn } from '../columns/sink-column.ts';
