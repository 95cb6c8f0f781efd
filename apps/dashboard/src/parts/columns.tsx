import type { ReactNode } from 'react';
import { formatNumber } from '../format/format.ts';
import type { Column } from './data-table.tsx';

/** A column of a table: its header, its width as a CSS grid takes it, and what it shows of a row. */
export function column<Row>(header: string, width: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { header, width, cell };
}

/** A column of what matters less. */
export function softColumn<Row>(header: string, width: string, cell: (row: Row) => ReactNode): Column<Row> {
  return column(header, width, (row) => <span className="soft">{cell(row)}</span>);
}

/** A column of numbers. */
export function numberColumn<Row>(header: string, width: string, of: (row: Row) => number): Column<Row> {
  return { ...column(header, width, (row) => formatNumber(of(row))), align: 'right' };
}

/** A column that narrow screens leave out. */
export function extra<Row>(column: Column<Row>): Column<Row> {
  return { ...column, isExtra: true };
}
