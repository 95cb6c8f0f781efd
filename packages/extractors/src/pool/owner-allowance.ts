import type { Outcome } from './pool-thread.ts';

/** Owners whose tasks were killed that are remembered. */
const REMEMBERED = 1_000;

export interface OwnerAllowance {
  /** How many of the owner's tasks may wait now. */
  of: (owner: string | undefined) => number;
  /** How one of the owner's tasks ended. */
  learn: (owner: string | undefined, outcome: Outcome) => void;
}

/** Halved by every task of an owner that had to be killed, doubled up to `most` by every one that ended by itself. */
export function createOwnerAllowance(most: number, least: number): OwnerAllowance {
  // In order of the last change: a Map keeps insertion order.
  const reduced = new Map<string, number>();
  const of = (owner: string | undefined): number =>
    owner === undefined ? Number.POSITIVE_INFINITY : (reduced.get(owner) ?? most);
  return {
    of,
    learn(owner, { state }) {
      if (owner === undefined) return;
      const isKilled = state === 'timeout' || state === 'thread-died';
      if (!isKilled && !reduced.has(owner)) return;
      const allowed = isKilled ? Math.max(least, Math.floor(of(owner) / 2)) : of(owner) * 2;
      reduced.delete(owner);
      if (allowed < most) reduced.set(owner, allowed);
      const [oldest] = reduced.size > REMEMBERED ? reduced.keys() : [];
      if (oldest !== undefined) reduced.delete(oldest);
    },
  };
}
