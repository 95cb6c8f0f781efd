/** One row on its way into a table. Made by a writer's toRows, for the same writer's write. */
export interface SinkRow {
  /** Text that is the same exactly for rows with the same key. */
  readonly key: string;
  /** When the page was fetched, on this process's performance.now() clock. */
  readonly fetchedAt: number;
  /** State of the table that the row was made for. */
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

function mergeVersions(versions: readonly SinkRow[], nulls: 'keep' | 'overwrite'): SinkRow {
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
 * The rows of one statement: one per key (what writing them one after the other would leave), in the order of their
 * keys, so that two transactions lock the same rows in the same order.
 */
export function mergeRows(rows: readonly SinkRow[], nulls: 'keep' | 'overwrite'): SinkRow[] {
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
