import { isUnseen, parentElement, readTextOf, type PageDocument, type TreeElement } from '@gleaner/html';
import { RESULT_LIMITS } from '../limits.ts';
import { invalidReading, valueReading, type Reading } from './reading.ts';
import { cellGrid, headRowsOf, rowsOf } from './table-grid.ts';

export type TableRow = Record<string, string | null>;

/** The grid with the text of each cell. A spanning cell is read only once. */
function textsOf(
  document: PageDocument,
  grid: readonly (readonly (TreeElement | undefined)[])[],
): string[][] {
  const known = new Map<TreeElement, string>();
  const read = (element: TreeElement): string => {
    const text = known.get(element) ?? readTextOf(document, element).replaceAll(/\s+/g, ' ').trim();
    known.set(element, text);
    return text;
  };
  return grid.map((line) => line.map((element) => (element === undefined ? '' : read(element))));
}

/** Header texts made unique: an empty one is `column_<n>`, the second `Price` is `Price_2`. */
function uniqueNames(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const used = new Set<string>();
  return texts.map((text, index) => {
    const base = text === '' ? `column_${index + 1}` : text;
    let count = (counts.get(base) ?? 0) + 1;
    let name = count === 1 ? base : `${base}_${count}`;
    while (used.has(name)) {
      count += 1;
      name = `${base}_${count}`;
    }
    counts.set(base, count);
    used.add(name);
    return name;
  });
}

/**
 * Reads a table as one object per row. The keys come from the header rows (joined), from first rows of only `<th>`, or
 * are `column_1`, `column_2`, … Hidden rows and columns are left out, and rows that repeat the header.
 */
export function readTable(document: PageDocument, table: TreeElement): Reading<TableRow[]> {
  if (table.localName !== 'table') return invalidReading(`<${table.localName}>`, 'is not a <table>');
  // A hidden head still names the columns.
  const isHidden = (row: TreeElement): boolean => {
    const section = parentElement(row);
    return (
      section?.localName !== 'thead' && (isUnseen(row) || (section !== table && isUnseen(section ?? row)))
    );
  };
  const rows = rowsOf(table).filter((row) => !isHidden(row));
  const grid = cellGrid(rows, isUnseen);
  if (grid === undefined) return invalidReading('<table>', `has more than ${RESULT_LIMITS.tableCells} cells`);
  const headRows = headRowsOf(rows, grid);
  const lines = textsOf(document, grid);
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const head = lines.slice(0, headRows);
  const names = uniqueNames(
    Array.from({ length: width }, (_, x) => [...new Set(head.map((line) => line[x] ?? ''))].join(' ').trim()),
  );
  // Long tables repeat their header.
  const isHeader = (line: readonly string[]): boolean =>
    head.some((first) => first.length === line.length && first.every((text, x) => text === line[x]));
  const body = lines.slice(headRows).filter((line) => line.length > 0 && !isHeader(line));
  return valueReading(
    body.map((line) => Object.fromEntries(names.map((name, x) => [name, line[x] || null]))),
  );
}
