import type { InputSource, ShownSource, SourceState } from '@gleaner/contracts';
import { sql, type SQL } from 'drizzle-orm';

/** What records show of `run_sources`. */
export interface SourceColumns {
  kind: InputSource;
  url: string;
  since: string | null;
  state: SourceState;
  files: number | null;
  entries: number | null;
  left_out: number | null;
  error: string | null;
}

/** Selects it as one value; null without a source. @param is a condition on `run_sources q` */
export function sourceColumn(is: SQL): SQL {
  return sql`(SELECT json_build_object('kind', q.kind, 'url', q.url, 'since', q.since, 'state', q.state, 'files', q.files,
    'entries', q.entries, 'left_out', q.left_out, 'error', q.error) FROM gleaner.run_sources q WHERE ${is}) AS source`;
}

/** `source` and `since` of a record. */
export function toShownSource(row: SourceColumns | null): { source: ShownSource; since: string | null } {
  if (row === null) return { source: null, since: null };
  const { kind, url, since, state, files, entries, left_out, error } = row;
  return { source: { [kind]: url, status: state, files, entries, left_out, error }, since };
}
