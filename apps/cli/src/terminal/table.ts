import { styleText } from 'node:util';
import { cleanCell } from './clean.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The least width to which a column gives way. */
const LEAST = 8;
/** An identifier, which is of use only as a whole. */
const ID = /^[a-z]{2,3}_[0-9a-z]{26}$/;

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return cleanCell(typeof value === 'string' ? value : JSON.stringify(value));
}

function shorten(cell: string, width: number): string {
  return cell.length <= width ? cell : `${cell.slice(0, Math.max(0, width - 1))}…`;
}

/** A column of a table. */
interface Column {
  name: string;
  cells: string[];
  width: number;
  /** What it keeps when there is little room. */
  least: number;
  isNumeric: boolean;
}

function columnOf(name: string, rows: readonly Row[]): Column {
  const cells = rows.map((row) => formatCell(row[name]));
  const width = Math.max(name.length, ...cells.map((cell) => cell.length));
  const least = cells.some((cell) => ID.test(cell)) ? width : Math.min(width, LEAST);
  return { name, cells, width, least, isNumeric: rows.every((row) => typeof row[name] === 'number') };
}

function sum(columns: readonly Column[], member: 'width' | 'least'): number {
  return columns.reduce((total, column) => total + column[member], 2 * (columns.length - 1));
}

/** Narrows columns until they fit, the widest first. Those at the end that have no room are left out. */
function fit(all: readonly Column[], room: number): { columns: Column[]; leftOut: string[] } {
  let columns = all.map((column) => ({ ...column }));
  while (columns.length > 1 && sum(columns, 'least') > room) columns = columns.slice(0, -1);
  for (;;) {
    const surplus = sum(columns, 'width') - room;
    const [widest, next] = columns
      .filter(({ width, least }) => width > least)
      .toSorted((a, b) => b.width - a.width);
    if (surplus <= 0 || widest === undefined) break;
    widest.width = Math.max(
      widest.least,
      Math.min(widest.width - 1, next?.width ?? 0),
      widest.width - surplus,
    );
  }
  return { columns, leftOut: all.slice(columns.length).map(({ name }) => name) };
}

/**
 * Formats rows as a text table. Numbers are right-aligned; absent cells are `-`; identifiers are whole.
 * @param options `columns`: width of the terminal, where longer cells are cut
 * @returns `leftOut`: the names of columns without room
 */
export function fitTable(
  rows: readonly Row[],
  { columns: room = Infinity, isColoured = false }: { columns?: number; isColoured?: boolean } = {},
): { text: string; leftOut: string[] } {
  const [first] = rows;
  if (!first) return { text: '(none)', leftOut: [] };
  const { columns, leftOut } = fit(
    Object.keys(first).map((name) => columnOf(name, rows)),
    room,
  );
  const line = (cellOf: (column: Column) => string): string =>
    columns
      .map((column) => {
        const cell = shorten(cellOf(column), column.width);
        return column.isNumeric ? cell.padStart(column.width) : cell.padEnd(column.width);
      })
      .join('  ')
      .trimEnd();
  const paint = (style: 'bold' | 'dim', text: string): string =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const head = [
    paint(
      'bold',
      line(({ name }) => name),
    ),
    paint(
      'dim',
      line(({ width }) => '-'.repeat(width)),
    ),
  ];
  const lines = rows.map((_row, at) => line(({ cells }) => cells[at] ?? ''));
  return { text: [...head, ...lines].join('\n'), leftOut };
}

/** The same without a limit on the width. */
export function formatTable(rows: readonly Row[]): string {
  return fitTable(rows).text;
}

/** One line per row with tabs between the cells, without names: for `cut`, `awk` and `while read`. */
export function formatLines(rows: readonly Row[]): string[] {
  return rows.map((row) => Object.values(row).map(formatCell).join('\t'));
}
