/** The maximum text of one page, because a page must fit into memory. A larger first row is still returned. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** How many rows of these sizes, in order, fit on a page; at least one. */
export function countFitting(rows: readonly { size: number }[]): number {
  let total = 0;
  const end = rows.findIndex(({ size }) => (total += size) > MAX_PAGE_BYTES);
  return Math.max(1, end === -1 ? rows.length : end);
}
