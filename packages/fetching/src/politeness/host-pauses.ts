import { LRUCache } from 'lru-cache';

/** A tenant can make any number of hosts request a pause. Beyond this limit the least recently paused are dropped. */
const MAX_HOSTS = 10_000;
/** Two accounts pause a host for all, so more are kept only to know which accounts wait after the second one's end. */
const MAX_ACCOUNTS = 50;

/** Which hosts asked which accounts for a pause. Times are those of `now`, in ms. */
export interface HostPauses {
  add(host: string, accountId: string, pauseMs: number): void;
  has(host: string): boolean;
  /** When the account may send the host a request; 0 when no pause is known. */
  endOf(host: string, accountId: string): number;
  clear(): void;
}

/** An account waits for the end of its own pause, and while two accounts are paused all others wait too. */
export function createHostPauses(now: () => number): HostPauses {
  const hosts = new LRUCache<string, Map<string, number>>({ max: MAX_HOSTS });

  const dropEnded = (accounts: Map<string, number>): void => {
    const at = now();
    for (const [account, until] of accounts) if (until <= at) accounts.delete(account);
  };

  return {
    add: (host, accountId, pauseMs) => {
      const accounts = hosts.get(host) ?? new Map<string, number>();
      hosts.set(host, accounts);
      const until = Math.max(accounts.get(accountId) ?? 0, now() + pauseMs);
      if (accounts.size >= MAX_ACCOUNTS) dropEnded(accounts);
      if (accounts.size < MAX_ACCOUNTS || accounts.has(accountId)) accounts.set(accountId, until);
    },
    has: (host) => hosts.has(host),
    endOf: (host, accountId) => {
      const accounts = hosts.get(host);
      if (accounts === undefined) return 0;
      dropEnded(accounts);
      if (accounts.size === 0) hosts.delete(host);
      const [, second = 0] = Array.from(accounts.values()).toSorted((one, other) => other - one);
      return Math.max(second, accounts.get(accountId) ?? 0);
    },
    clear: () => hosts.clear(),
  };
}
