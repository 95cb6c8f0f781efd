import type { ColumnType } from '@gleaner/contracts';

/** Types with a text form that never contains quotes, commas, braces or backslashes. */
const BARE = new Set<ColumnType>(['double precision', 'bigint', 'boolean', 'date', 'timestamptz']);

const SPECIAL = /["\\]/;
const SPECIALS = /["\\]/g;

/** The values of one column as a Postgres array, so that a batch is one statement with one parameter per column. */
export function toArrayLiteral(cells: readonly (string | null)[], type: ColumnType): string {
  const isBare = BARE.has(type);
  let text = '{';
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? null;
    if (index > 0) text += ',';
    if (cell === null) text += 'NULL';
    else if (isBare) text += cell;
    else text += SPECIAL.test(cell) ? `"${cell.replace(SPECIALS, String.raw`\$&`)}"` : `"${cell}"`;
  }
  return `${text}}`;
}
