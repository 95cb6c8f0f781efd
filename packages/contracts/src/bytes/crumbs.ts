/**
 * Watches the pieces of a body. Each piece takes time of a process that all accounts share, and limits on bytes don't
 * count it.
 * @param uncounted pieces of any size are allowed
 * @param leastBytes the least average size of all pieces after those
 * @returns takes the next piece, and says whether the pieces are too small
 */
export function watchCrumbs(uncounted: number, leastBytes: number): (piece: Uint8Array) => boolean {
  let count = 0;
  let bytes = 0;
  return (piece) => {
    count += 1;
    bytes += piece.length;
    return count > uncounted && bytes < count * leastBytes;
  };
}
