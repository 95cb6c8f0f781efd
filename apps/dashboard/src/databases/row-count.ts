import { formatNumber } from '../format/format.ts';

/** `12,480`, `about 12,480` where the database only estimates, or `unknown` where it does not even that. */
export function rowCount(table: { rows: number | null; rows_exact: boolean }): string {
  if (table.rows === null) return 'unknown';
  return `${table.rows_exact ? '' : 'about '}${formatNumber(table.rows)}`;
}
