import type { PageDocument } from '../html/document.ts';
import { readTextOf } from '../html/read-text.ts';
import { attributeOf, isElement, parentElement, type TreeElement } from '../html/tree.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { invalidReading, valueReading, type Reading } from './reading.ts';

export type TableRow = Record<string, string | null>;

interface Cell {
  text: string;
  isHeader: boolean;
}

function childrenNamed(parent: TreeElement, names: readonly string[]): TreeElement[] {
  const found: TreeElement[] = [];
  for (let node = parent.first; node !== null; node = node.next) {
    if (isElement(node) && names.includes(node.localName)) found.push(node);
  }
  return found;
}

/** Rows of this table alone, in the order a browser shows them: head, bodies, foot. */
function rowsOf(table: TreeElement): TreeElement[] {
  const sections = childrenNamed(table, ['thead', 'tbody', 'tfoot', 'tr']);
  const rank = { thead: 0, tfoot: 2 } as Record<string, number>;
  return sections
    .toSorted((a, b) => (rank[a.localName] ?? 1) - (rank[b.localName] ?? 1))
    .flatMap((section) => (section.localName === 'tr' ? [section] : childrenNamed(section, ['tr'])));
}

function spanOf(cell: TreeElement, name: string, most: number): number {
  const span = Number.parseInt(attributeOf(cell, name) ?? '1', 10);
  return Number.isNaN(span) || span < 1 ? 1 : Math.min(span, most);
}

/** The cells as a grid, those that span repeated; undefined when it grows too large. */
function gridOf(document: PageDocument, rows: readonly TreeElement[]): Cell[][] | undefined {
  const grid: Cell[][] = rows.map(() => []);
  let cells = 0;
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const element of childrenNamed(row, ['td', 'th'])) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = spanOf(element, 'colspan', 1000);
      const height = Math.min(spanOf(element, 'rowspan', 65_534), rows.length - y);
      cells += width * height;
      if (cells > RESULT_LIMITS.tableCells) return undefined;
      const cell = {
        text: readTextOf(document, element).replaceAll(/\s+/g, ' ').trim(),
        isHeader: element.localName === 'th',
      };
      for (let down = 0; down < height; down += 1) {
        const line = grid[y + down];
        if (line === undefined) break;
        for (let right = 0; right < width; right += 1) line[x + right] ??= cell;
      }
      x += width;
    }
  }
  return grid;
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

function headRowsOf(rows: readonly TreeElement[], grid: readonly Cell[][]): number {
  const inHead = rows.findLastIndex((row) => parentElement(row)?.localName === 'thead') + 1;
  if (inHead > 0) return inHead;
  return grid[0]?.every((cell) => cell?.isHeader) === true ? 1 : 0;
}

function setOwn(row: TableRow, name: string, value: string | null): void {
  Object.defineProperty(row, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A table as an object per row, named by its header row (several header rows are joined), by its first row when it
 * is all `<th>`, else `column_1`, `column_2`, …
 */
export function readTable(document: PageDocument, match: TreeElement): Reading<TableRow[]> {
  const table = match.localName === 'table' ? match : undefined;
  if (table === undefined) return invalidReading(`<${match.localName}>`, 'is not a <table>');
  const rows = rowsOf(table);
  const grid = gridOf(document, rows);
  if (grid === undefined) return invalidReading('<table>', `has more than ${RESULT_LIMITS.tableCells} cells`);
  const headRows = headRowsOf(rows, grid);
  const width = grid.reduce((most, line) => Math.max(most, line.length), 0);
  const head = grid.slice(0, headRows);
  const names = uniqueNames(
    Array.from({ length: width }, (_, x) =>
      [...new Set(head.map((line) => line[x]?.text ?? ''))].join(' ').trim(),
    ),
  );
  const body = grid.slice(headRows).filter((line) => line.length > 0);
  return valueReading(
    body.map((line) => {
      const row: TableRow = {};
      for (const [x, name] of names.entries()) setOwn(row, name, line[x]?.text || null);
      return row;
    }),
  );
}
