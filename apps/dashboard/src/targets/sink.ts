import type { DriftRule } from '@gleaner/contracts/values';

/** Where the rows of a run go, as a form holds it. */
export interface SinkChoice {
  /** Null: the results stay with the run. */
  database: string | null;
  table: string;
  /** Absent: rows are written whatever happens. */
  onDrift?: DriftRule | undefined;
}

export const NO_SINK: SinkChoice = { database: null, table: '' };

/** The part of a sink that a form holds; undefined without a database. */
export function sinkOfChoice({ database, table, onDrift }: SinkChoice) {
  if (database === null) return undefined;
  return {
    mode: 'database' as const,
    database,
    table,
    ...(onDrift === undefined ? {} : { on_drift: onDrift }),
  };
}

/** The choice that a record's sink was. */
export function choiceOfSink(sink: object | null): SinkChoice {
  const known: Partial<ReturnType<typeof sinkOfChoice> & object> = sink ?? {};
  return known.mode === 'database'
    ? { database: known.database ?? null, table: known.table ?? '', onDrift: known.on_drift }
    : NO_SINK;
}

/** Names that tables and stages may have. */
export const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export function isSinkComplete({ database, table }: SinkChoice): boolean {
  return database !== null && NAME.test(table);
}
