import { LRUCache } from 'lru-cache';
import type { Outcome } from './pool-thread.ts';

/** The most owners with a reduced limit that are remembered. */
const REMEMBERED = 1_000;

export interface OwnerAllowance {
  /** How many of the owner's tasks may wait now. */
  of: (owner: string | undefined) => number;
  /** Records how one of the owner's tasks ended. */
  learn: (owner: string | undefined, outcome: Outcome) => void;
}

/** An owner's limit on waiting tasks: each killed task halves it, each completed task doubles it, up to `most`. */
export function createOwnerAllowance(most: number, least: number): OwnerAllowance {
  const reduced = new LRUCache<string, number>({ max: REMEMBERED });
  const of = (owner: string | undefined): number =>
    owner === undefined ? Number.POSITIVE_INFINITY : (reduced.get(owner) ?? most);
  return {
    of,
    learn(owner, { state }) {
      if (owner === undefined) return;
      const isKilled = state === 'timeout' || state === 'thread-died';
      if (!isKilled && !reduced.has(owner)) return;
      const allowed = isKilled ? Math.max(least, Math.floor(of(owner) / 2)) : of(owner) * 2;
      if (allowed < most) reduced.set(owner, allowed);
      else reduced.delete(owner);
    },
  };
}
