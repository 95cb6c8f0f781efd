/**
 * Tells when a body crumbles: it came in more than `uncounted` pieces, of less than `leastBytes` on average. Each piece
 * takes time of the process that all share, which no limit on bytes counts.
 * @returns takes the next piece
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
