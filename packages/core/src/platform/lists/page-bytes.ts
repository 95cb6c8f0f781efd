/** Text of one page at most, but for a first row that is larger: what is sent at once must fit into memory. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** How many rows of these sizes, in their order, a page holds: one at least. */
export function countFitting(sizes: readonly number[]): number {
  let total = 0;
  const end = sizes.findIndex((size) => (total += size) > MAX_PAGE_BYTES);
  return Math.max(1, end === -1 ? sizes.length : end);
}
