import { AppError, joinPieces, watchCrumbs } from '@gleaner/contracts';
import type { BodyLimit } from './exchange.ts';

/** Each piece of a body costs the time of the process that all share: a page of single bytes costs 16 million times. */
const UNCOUNTED_PIECES = 65_536;
/** The smallest average of further pieces. Programs that write a word at a time send more. */
const LEAST_PIECE_BYTES = 16;

export const TOO_LARGE_HINT = 'Give an address with less on a page: a filter, or one page of a list.';

export function tooLarge(maxBytes: number): AppError {
  return new AppError('fetch_failed', {
    detail: `the page is larger than ${maxBytes} bytes`,
    hint: TOO_LARGE_HINT,
    retryable: false,
  });
}

/** A body that is still coming. */
export type ArrivingBody = ReturnType<typeof openBody>;

export function openBody({ maxWireBytes, onExcess }: BodyLimit) {
  const pieces = joinPieces();
  const isCrumbling = watchCrumbs(UNCOUNTED_PIECES, LEAST_PIECE_BYTES);
  let isCut = false;
  return {
    /**
     * @returns whether more of the body is wanted
     * @throws AppError fetch_failed when it is longer than its limit, or crumbles into tiny pieces
     */
    take: (piece: Uint8Array): boolean => {
      const room = maxWireBytes - pieces.size();
      isCut = piece.length > room;
      if (isCut && onExcess === 'fail') throw tooLarge(maxWireBytes);
      pieces.add(isCut ? piece.subarray(0, room) : piece);
      if (isCrumbling(piece)) {
        throw new AppError('fetch_failed', {
          detail: 'the page came in pieces of a few bytes',
          retryable: false,
        });
      }
      return !isCut;
    },
    read: () => ({ body: pieces.join(), isCut }),
  };
}
