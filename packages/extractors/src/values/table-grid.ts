import { attributeOf, isElement, parentElement, type TreeElement } from '@gleaner/html';
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

/** The row after the last one of each row's group (head, body, foot), in which its cells stay. */
function groupEnds(rows: readonly TreeElement[]): number[] {
  const ends: number[] = [];
  for (let y = rows.length - 1; y >= 0; y -= 1)
    ends[y] = rows[y]?.parent === rows[y + 1]?.parent ? (ends[y + 1] ?? rows.length) : y + 1;
  return ends;
}

/** How many rows name the columns: those of the head, else the first ones of `<th>` alone. */
export function headRowsOf(
  rows: readonly TreeElement[],
  grid: readonly (readonly (TreeElement | undefined)[])[],
): number {
  const inHead = rows.findLastIndex((row) => parentElement(row)?.localName === 'thead') + 1;
  if (inHead > 0) return inHead;
  // A later row of one wide cell is the title of a group.
  const isTitle = (line: readonly (TreeElement | undefined)[], y: number): boolean =>
    y > 0 && new Set(line).size === 1;
  const first = grid.findIndex(
    (line, y) => isTitle(line, y) || !line.every((cell) => cell?.localName === 'th'),
  );
  return first === -1 ? Number(rows.length > 0) : first;
}

function spanOf(cell: TreeElement, name: string, most: number): number {
  const span = Number.parseInt(attributeOf(cell, name) ?? '1', 10);
  return Number.isNaN(span) || span < 1 ? 1 : Math.min(span, most);
}

/** The cells as a grid that repeats spanning cells; undefined when it grows too large. */
export function cellGrid(
  rows: readonly TreeElement[],
  isLeftOut: (cell: TreeElement) => boolean = () => false,
): (TreeElement | undefined)[][] | undefined {
  const grid: (TreeElement | undefined)[][] = rows.map(() => []);
  let cells = 0;
  const ends = groupEnds(rows);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const element of childrenNamed(row, ['td', 'th'])) {
      if (isLeftOut(element)) continue;
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = spanOf(element, 'colspan', 1000);
      const left = (ends[y] ?? rows.length) - y;
      // Zero means all rows of the group.
      const isAll = attributeOf(element, 'rowspan')?.trim() === '0';
      const height = isAll ? left : Math.min(spanOf(element, 'rowspan', 65_534), left);
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
