import type { ColumnType } from '../databases/filters.ts';
import { TITLES } from '../format/titles.ts';

const HIDDEN = new Set(['_run_id', '_checked_at']);
/** The drawer of a row has all. */
const MOST = 8;

/** When a row's page was read last: a row that stays as it is keeps the time of its last change. */
export function readAt({ _checked_at: checked, _fetched_at: fetched }: Record<string, unknown>): unknown {
  return checked ?? fetched;
}

/** The columns of a collection's rows: what reads like a title first, the own columns that say nothing left out. */
export function shownColumns(columns: readonly ColumnType[]): ColumnType[] {
  const rank = ({ name }: ColumnType): number => (TITLES.test(name) ? 0 : name.startsWith('_') ? 2 : 1);
  const sorted = columns.filter(({ name }) => !HIDDEN.has(name)).toSorted((a, b) => rank(a) - rank(b));
  const own = sorted.filter(({ name }) => name.startsWith('_'));
  const data = sorted.filter(({ name }) => !name.startsWith('_'));
  return [...data.slice(0, MOST), ...own.filter(({ name }) => name === '_fetched_at')];
}
