import { clientNetwork, type ByteBudget, type ReservedBytes } from '@gleaner/core';
import type { preParsingHookHandler } from 'fastify';

/** Larger uploads are streamed to Postgres, so they are never in memory as a whole. */
const STREAMED_BYTES = 100 * 1024 * 1024;

/**
 * Counts the bytes of a body as they arrive. A caller whose bodies hold too much memory is refused with 429, and its
 * connection is closed.
 */
export function countBody(budget: ByteBudget): preParsingHookHandler {
  return (request, reply, payload, done) => {
    const reserved = budget.open(request.accountId ?? clientNetwork(request.ip));
    request.reservedBytes = reserved;
    reply.raw.once('close', reserved.end);
    const count = (chunk: Uint8Array | string): void => {
      try {
        reserved.add(chunk.length);
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

/** Counts the bytes of an upload with this limit, unless it is streamed. */
export function uploadCounter(
  reserved: ReservedBytes | null,
  limitBytes: number,
): ((chunk: Uint8Array) => void) | undefined {
  return reserved === null || limitBytes > STREAMED_BYTES ? undefined : (chunk) => reserved.add(chunk.length);
}
