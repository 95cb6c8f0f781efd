import { AppError, watchCrumbs } from '@gleaner/contracts';
import { clientNetwork, type ByteBudget, type ReservedBytes } from '@gleaner/core';
import type { preParsingHookHandler } from 'fastify';

/** Larger uploads are streamed to Postgres, so they are never in memory as a whole. */
const STREAMED_BYTES = 100 * 1024 * 1024;

/**
 * What Node and Fastify hold for each piece of a body, and the time it takes: a body of single bytes takes a hundred times
 * its size.
 */
const PIECE_BYTES = 512;

/** Pieces of a body that may have any size. */
const UNCOUNTED_PIECES = 16_384;
/** The smallest average of all when there are more: a client that sends a line at a time sends more. */
const LEAST_PIECE_BYTES = 16;

/** @returns takes the next piece of a body, and says whether it crumbles into tiny pieces, whatever it holds */
export function watchBody(): (piece: Uint8Array) => boolean {
  return watchCrumbs(UNCOUNTED_PIECES, LEAST_PIECE_BYTES);
}

/**
 * @param reserved counts the memory that the body holds; null for a body that is streamed
 * @returns takes the next piece
 * @throws AppError invalid_request when the body crumbles, and what `reserved` throws
 */
function pieceCounter(reserved: ReservedBytes | null): (piece: Uint8Array) => void {
  const isCrumbling = watchBody();
  return (piece) => {
    if (isCrumbling(piece)) {
      throw new AppError('invalid_request', {
        field: 'body',
        detail: 'the body came in pieces of a few bytes',
        hint: 'Send larger pieces.',
      });
    }
    reserved?.add(piece.length + PIECE_BYTES);
  };
}

/**
 * Counts the bytes of a body as they arrive. A caller whose bodies hold too much memory is refused with 429, and its
 * connection is closed.
 */
export function countBody(budget: ByteBudget): preParsingHookHandler {
  return (request, reply, payload, done) => {
    const reserved = budget.open(request.accountId ?? clientNetwork(request.ip));
    request.reservedBytes = reserved;
    reply.raw.once('close', reserved.end);
    const take = pieceCounter(reserved);
    const count = (piece: Uint8Array): void => {
      try {
        take(piece);
      } catch (error) {
        payload.off('data', count);
        payload.emit('error', error);
      }
    };
    // The reader of the body begins in this turn of the event loop, so no byte is missed.
    if (/^application\/json/i.test(request.headers['content-type'] ?? '')) payload.on('data', count);
    done(null, payload);
  };
}

/** Counts an upload with this limit: its bytes, unless it is streamed. */
export function uploadCounter(
  reserved: ReservedBytes | null,
  limitBytes: number,
): (chunk: Uint8Array) => void {
  return pieceCounter(limitBytes > STREAMED_BYTES ? null : reserved);
}
