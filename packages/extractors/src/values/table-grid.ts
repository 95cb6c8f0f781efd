import { attributeOf, isElement, type TreeElement } from '@gleaner/html';
import { RESULT_LIMITS } from '../limits.ts';

/** The child elements with one of the names. */
export function childrenNamed(parent: TreeElement, names: readonly string[]): TreeElement[] {
  const found: TreeElement[] = [];
  for (let node = parent.first; node !== null; node = node.next) {
    if (isElement(node) && names.includes(node.localName)) found.push(node);
  }
  return found;
}

/** Rows of this table without nested tables, in the order of a browser: head, bodies, foot. */
export function rowsOf(table: TreeElement): TreeElement[] {
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

/** The cells as a grid that repeats spanning cells; undefined when it grows too large. */
export function cellGrid(rows: readonly TreeElement[]): (TreeElement | undefined)[][] | undefined {
  const grid: (TreeElement | undefined)[][] = rows.map(() => []);
  let cells = 0;
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const element of childrenNamed(row, ['td', 'th'])) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = spanOf(element, 'colspan', 1000);
      const height = Math.min(spanOf(element, 'rowspan', 65_534), rows.length - y);
      cells += width * height;
      if (cells > RESULT_LIMITS.tableCells) return undefined;
      for (let down = 0; down < height; down += 1) {
        const line = grid[y + down];
        if (line === undefined) break;
        for (let right = 0; right < width; right += 1) line[x + right] ??= element;
      }
      x += width;
    }
  }
  return grid;
}
