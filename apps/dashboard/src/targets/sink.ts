import type { DriftRule } from '@gleaner/contracts/values';

/** Where the rows of a run go, as a form holds it. */
export interface SinkChoice {
  /** Null: the results stay with the run. */
  database: string | null;
  table: string;
  /** Absent: rows are written whatever happens. */
  onDrift?: DriftRule | undefined;
}

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

/** Names that tables and stages may have. */
export const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export function isSinkComplete({ database, table }: SinkChoice): boolean {
  return database !== null && NAME.test(table);
}
