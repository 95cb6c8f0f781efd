import { type TreeElement, attributeOf } from '@gleaner/html';
import { cellGrid, childrenNamed, headRowsOf, rowsOf } from '../values/table-grid.ts';
import { type Convert, deeper } from './conversion.ts';
import { BOUNDARY, toFlow, toPhrasing, type Block, type Item, type Phrasing } from './nodes.ts';

/** Characters of a list or quote in a cell of a table that names no columns. */
const SHORT = 300;

function lengthOf(block: Block): number {
  const texts = (nodes: readonly Phrasing[]): number =>
    nodes.reduce((sum, node) => {
      if ('children' in node) return sum + texts(node.children);
      return sum + ('value' in node ? node.value.length : 0);
    }, 0);
  return texts(toPhrasing([block]));
}

/** Whether the block can stand in a cell of data. */
function isData(block: Block, hasRows: boolean): boolean {
  if (block.type === 'paragraph') return true;
  if (block.type === 'heading' || block.type === 'rule' || !hasRows) return false;
  return lengthOf(block) <= SHORT;
}

/** Whether the table is used for page layout instead of data. */
function isLayout(
  element: TreeElement,
  cells: readonly (readonly Block[])[],
  { rows, isNamed }: { rows: number; isNamed: boolean },
): boolean {
  const role = attributeOf(element, 'role');
  if (role === 'presentation' || role === 'none') return true;
  if (isNamed) return false;
  const filled = cells.filter((blocks) => blocks.length > 0);
  const holdTables = filled.filter((blocks) => blocks.some(({ type }) => type === 'table'));
  if (holdTables.length > 0 && holdTables.length * 3 > filled.length) return true;
  return filled.some((blocks) => blocks.length > 3 || !blocks.every((block) => isData(block, rows > 1)));
}

/** Whether the table says what its columns, its rows or all of it are. */
function isNamed(element: TreeElement, cells: Iterable<TreeElement>): boolean {
  if (childrenNamed(element, ['caption', 'thead']).some(({ first }) => first !== null)) return true;
  for (const { localName } of cells) if (localName === 'th') return true;
  return false;
}

/** Each column's names from several rows of heads, each once. */
function joinHeads(
  heads: readonly (readonly (TreeElement | undefined)[])[],
  width: number,
  cells: ReadonlyMap<TreeElement, Item[]>,
): Phrasing[][] {
  return Array.from({ length: width }, (_, x) => {
    const column = new Set(heads.flatMap((line) => line[x] ?? []));
    return toPhrasing([...column].flatMap((cell) => [BOUNDARY, ...(cells.get(cell) ?? [])]));
  });
}

export const convertTable: Convert = (conversion, element, around, out) => {
  const rows = rowsOf(element);
  const grid = cellGrid(rows);
  const width = grid?.reduce((most, line) => Math.max(most, line.length), 0) ?? 0;
  const cells = new Map<TreeElement, Item[]>();
  for (const cell of grid?.flat() ?? []) {
    if (cell !== undefined && !cells.has(cell)) cells.set(cell, conversion.inside(cell, deeper(around)));
  }
  for (const caption of childrenNamed(element, ['caption']))
    out.push(BOUNDARY, ...conversion.inside(caption, around), BOUNDARY);
  const blocks = [...cells.values()].map(toFlow);
  const facts = { rows: rows.length, isNamed: isNamed(element, cells.keys()) };
  if (grid === undefined || width < 2 || isLayout(element, blocks, facts)) {
    for (const items of cells.values()) out.push(BOUNDARY, ...items, BOUNDARY);
    return;
  }
  const heads = headRowsOf(rows, grid);
  const isJoined = heads > 1;
  const lines = (isJoined ? grid.slice(heads) : grid).map((line) =>
    Array.from({ length: width }, (_, x) => {
      const cell = line[x];
      const items = cell === undefined ? undefined : cells.get(cell);
      // A cell that spans several columns or rows is written once.
      if (cell !== undefined && items !== undefined) cells.set(cell, []);
      return items === undefined ? [] : toPhrasing(items);
    }),
  );
  const filled = lines.filter((line) => line.some((cell) => cell.length > 0));
  if (isJoined) filled.unshift(joinHeads(grid.slice(0, heads), width, cells));
  if (filled.length > 0) out.push({ type: 'table', rows: filled });
};
