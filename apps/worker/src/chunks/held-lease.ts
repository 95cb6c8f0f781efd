import { CHUNK_LEASE_MS } from '@gleaner/core';

/** The lease is renewed at least this often. */
const RENEW_MS = 2_000;
/** The length of a renewal while slow rows are written. */
const RENEW_WITHIN_MS = 60_000;
/** A worker stops itself this long before its lease ends. */
const MARGIN_MS = 1_500;

/** The lease of a chunk, on performance.now()'s clock. */
export interface HeldLease {
  /** Whether no task may begin, because another worker may soon own the chunk. */
  isEnding: () => boolean;
  isDue: () => boolean;
  /** Records a renewal by a statement that was sent at this time. */
  extend: (sentAt: number) => void;
  /** Renews the lease during a write that may take longer than a lease. */
  keepWhile: <T>(write: () => Promise<T>) => Promise<T>;
}

/** @param renew extends the lease in Postgres; returns whether this worker still holds the chunk */
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
      // The running write reports the reason.
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
