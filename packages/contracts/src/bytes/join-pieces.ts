/** Smaller pieces share blocks of this size: an object for each byte of a body would take a hundred times its memory. */
const BLOCK_BYTES = 16_384;
/** A larger piece stays as it is. */
const LARGE_BYTES = 4_096;

/** The pieces of a body that arrives, in about as much memory as their bytes. */
export function joinPieces() {
  const parts: Uint8Array[] = [];
  let block: Uint8Array | undefined;
  let used = 0;
  let size = 0;
  const closeBlock = (): void => {
    if (block) parts.push(block.slice(0, used));
    block = undefined;
    used = 0;
  };
  /** The bytes as one. */
  const join = (): Uint8Array => {
    closeBlock();
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return only;
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };
  return {
    /** The bytes so far. */
    size: (): number => size,
    isEmpty: (): boolean => size === 0,
    add: (piece: Uint8Array): void => {
      size += piece.length;
      if (piece.length >= LARGE_BYTES) {
        closeBlock();
        parts.push(piece);
        return;
      }
      if (block && used + piece.length > BLOCK_BYTES) closeBlock();
      block ??= new Uint8Array(BLOCK_BYTES);
      block.set(piece, used);
      used += piece.length;
    },
    join,
    /** The bytes as UTF-8. */
    text: (): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(join()),
  };
}
