import { CHUNK_LEASE_MS } from '@gleaner/core';

/** The lease is renewed at least this often. */
const RENEW_MS = 2_000;
/** How long it is renewed for rows that take their time to be written. */
const RENEW_WITHIN_MS = 60_000;
/** A worker stops itself this long before its lease ends. */
const MARGIN_MS = 1_500;

/** How long a chunk is this worker's own, on performance.now()'s clock. */
export interface HeldLease {
  /** Nothing may begin any more: another worker may soon have the chunk. */
  isEnding: () => boolean;
  isDue: () => boolean;
  /** Renewed by what was sent to Postgres at that time. */
  extend: (sentAt: number) => void;
  /** Renews while something is written that may take longer than a lease. */
  keepWhile: <T>(write: () => Promise<T>) => Promise<T>;
}

/** @param renew asks Postgres for more time: whether the chunk is still held */
export function holdLease(leasedAt: number, renew: () => Promise<boolean>): HeldLease {
  let until = leasedAt + CHUNK_LEASE_MS;
  let renewedAt = leasedAt;

  const extend = (sentAt: number): void => {
    until = Math.max(until, sentAt + CHUNK_LEASE_MS);
    renewedAt = Math.max(renewedAt, sentAt);
  };
  const renewOnce = async (): Promise<void> => {
    const sentAt = performance.now();
    try {
      if (await renew()) extend(sentAt);
    } catch {
      // What is being written finds out why, and says so.
    }
  };

  return {
    isEnding: () => performance.now() > until - MARGIN_MS,
    isDue: () => performance.now() - renewedAt > RENEW_MS,
    extend,
    keepWhile: async (write) => {
      const stopAt = performance.now() + RENEW_WITHIN_MS;
      const renewing = setInterval(() => {
        if (performance.now() > stopAt) clearInterval(renewing);
        else void renewOnce();
      }, RENEW_MS);
      try {
        return await write();
      } finally {
        clearInterval(renewing);
      }
    },
  };
}
