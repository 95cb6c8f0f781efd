import { formatNumber } from '../format/format.ts';

interface Counted {
  rows: number | null;
  rows_exact: boolean;
}

/** `12,480`, `about 12,480` where the database only estimates, or `unknown` where it does not even that. */
export function rowCount(table: Counted): string {
  if (table.rows === null) return 'unknown';
  return `${table.rows_exact ? '' : 'about '}${formatNumber(table.rows)}`;
}

/** `1 row`, `about 12,480 rows`, `unknown rows` */
export function rowsText(table: Counted): string {
  return `${rowCount(table)} ${table.rows === 1 ? 'row' : 'rows'}`;
}
