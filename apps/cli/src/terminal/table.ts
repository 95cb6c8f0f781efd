import { styleText } from 'node:util';
import { cleanCell } from './clean.ts';

export type Row = Readonly<Record<string, unknown>>;

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return cleanCell(typeof value === 'string' ? value : JSON.stringify(value));
}

function shorten(cell: string, width: number): string {
  return cell.length <= width ? cell : `${cell.slice(0, Math.max(0, width - 1))}…`;
}

/** Widths that fit into `columns`: the widest column gives way first, down to 8 characters. */
function fitWidths(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  const gaps = 2 * (widths.length - 1);
  for (;;) {
    const surplus = fitted.reduce((sum, width) => sum + width, gaps) - columns;
    const widest = Math.max(...fitted);
    if (surplus <= 0 || widest <= 8) return fitted;
    const second = Math.max(8, ...fitted.filter((width) => width < widest));
    fitted[fitted.indexOf(widest)] = Math.max(second, widest - surplus, 8);
    if (second === widest) return fitted;
  }
}

/**
 * Formats rows as a text table. Numbers are right-aligned; absent cells are `-`.
 * @param options `columns`: width of the terminal, where longer cells are cut
 */
export function formatTable(
  rows: readonly Row[],
  { columns, isColoured = false }: { columns?: number; isColoured?: boolean } = {},
): string {
  const [first] = rows;
  if (!first) return '(none)';
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => formatCell(row[name])));
  const natural = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const widths = columns === undefined ? natural : fitWidths(natural, columns);
  const isNumeric = names.map((name) => rows.every((row) => typeof row[name] === 'number'));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 0;
        const cell = shorten(text, width);
        return isNumeric[column] === true ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const paint = (style: 'bold' | 'dim', text: string): string =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [paint('bold', line(names)), paint('dim', rule), ...cells.map(line)].join('\n');
}

/** One line per row with tabs between the cells, without names: for `cut`, `awk` and `while read`. */
export function formatLines(rows: readonly Row[]): string[] {
  return rows.map((row) => Object.values(row).map(formatCell).join('\t'));
}
