import type { NullRule } from '@gleaner/contracts';

/** One row to write. A writer's toRows creates it for the same writer. */
export interface SinkRow {
  /** Rows have equal texts exactly when they have the same key. */
  readonly key: string;
  /** When the page was fetched, on this process's performance.now() clock. */
  readonly fetchedAt: number;
  /** The state of the table for which the row was created. */
  readonly shape: string;
  /** Postgres text forms, in the order of the writer's columns; `_fetched_at` is filled in when the row is sent. */
  readonly cells: readonly (string | null)[];
}

function byFetch(a: SinkRow, b: SinkRow): number {
  return a.fetchedAt - b.fetchedAt;
}

function byKey(a: SinkRow, b: SinkRow): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function mergeVersions(versions: readonly SinkRow[], nulls: NullRule): SinkRow {
  const [first, ...rest] = [...versions].sort(byFetch);
  if (first === undefined) throw new Error('no version of a row');
  return rest.reduce(
    (older, newer) =>
      nulls === 'overwrite'
        ? newer
        : { ...newer, cells: newer.cells.map((cell, index) => cell ?? older.cells[index] ?? null) },
    first,
  );
}

/**
 * The rows of one statement: one per key (the result of writing them in sequence), ordered by key, so that transactions
 * lock rows in the same order.
 */
export function mergeRows(rows: readonly SinkRow[], nulls: NullRule): SinkRow[] {
  const versions = new Map<string, SinkRow[]>();
  for (const row of rows) {
    const known = versions.get(row.key);
    if (known) known.push(row);
    else versions.set(row.key, [row]);
  }
  return Array.from(versions.values(), (same) => {
    const [only] = same;
    return only !== undefined && same.length === 1 ? only : mergeVersions(same, nulls);
  }).sort(byKey);
}
