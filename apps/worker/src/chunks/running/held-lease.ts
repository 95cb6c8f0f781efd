import { CHUNK_LEASE_MS } from '@gleaner/core';

/** The part of a lease after which it is renewed, and the part before its end at which a worker stops itself. */
const RENEWED_AFTER = 1 / 3;
const MARGIN = 1 / 4;
/** The length of a renewal while slow rows are written. */
const RENEW_WITHIN_MS = 60_000;

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
export function holdLease(
  leasedAt: number,
  renew: () => Promise<boolean>,
  leaseMs = CHUNK_LEASE_MS,
): HeldLease {
  const renewMs = leaseMs * RENEWED_AFTER;
  let until = leasedAt + leaseMs;
  let renewedAt = leasedAt;

  const extend = (sentAt: number): void => {
    until = Math.max(until, sentAt + leaseMs);
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
    isEnding: () => performance.now() > until - leaseMs * MARGIN,
    isDue: () => performance.now() - renewedAt > renewMs,
    extend,
    keepWhile: async (write) => {
      const stopAt = performance.now() + RENEW_WITHIN_MS;
      const renewing = setInterval(() => {
        if (performance.now() > stopAt) clearInterval(renewing);
        else void renewOnce();
      }, renewMs);
      try {
        return await write();
      } finally {
        clearInterval(renewing);
      }
    },
  };
}
