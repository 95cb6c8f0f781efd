import { formatNumber } from '../format/format.ts';

/** `12,480`, or `about 12,480` where the database only estimates. */
export function rowCount({ rows, rows_exact: isExact }: { rows: number; rows_exact: boolean }): string {
  return `${isExact ? '' : 'about '}${formatNumber(rows)}`;
}
