import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { pausedError } from './host-busy.ts';
import type { HostWait } from './host-wait.ts';

/** A tenant can make any number of hosts request a pause. Beyond this limit the least recently paused are dropped. */
const MAX_HOSTS = 10_000;
/** Two accounts pause a host for all, so more are kept only to know which accounts wait after the second one's end. */
const MAX_ACCOUNTS = 50;

/** Which hosts asked which accounts for a pause. */
export type HostPauses = ReturnType<typeof createHostPauses>;

/** An account waits for the end of its own pause, and while two accounts are paused all others wait too. */
export function createHostPauses(now: () => number) {
  const hosts = new LRUCache<string, Map<string, number>>({ max: MAX_HOSTS });

  const dropEnded = (accounts: Map<string, number>): void => {
    const at = now();
    for (const [account, until] of accounts) if (until <= at) accounts.delete(account);
  };

  /** When the account may send the host a request; 0 when no pause is known. */
  const endOf = (host: string, accountId: string): number => {
    const accounts = hosts.get(host);
    if (accounts === undefined) return 0;
    dropEnded(accounts);
    if (accounts.size === 0) hosts.delete(host);
    const [, second = 0] = Array.from(accounts.values()).toSorted((one, other) => other - one);
    return Math.max(second, accounts.get(accountId) ?? 0);
  };

  return {
    add: (host: string, accountId: string, pauseMs: number): void => {
      const accounts = hosts.get(host) ?? new Map<string, number>();
      hosts.set(host, accounts);
      const until = Math.max(accounts.get(accountId) ?? 0, now() + pauseMs);
      if (accounts.size >= MAX_ACCOUNTS) dropEnded(accounts);
      if (accounts.size < MAX_ACCOUNTS || accounts.has(accountId)) accounts.set(accountId, until);
    },
    has: (host: string): boolean => hosts.has(host),
    /** Waits for the end of the account's pause. @throws HostBusyError when that is after the deadline */
    waitFor: async (host: string, wait: HostWait): Promise<void> => {
      for (;;) {
        const until = endOf(host, wait.accountId);
        const waitMs = until - now();
        if (waitMs <= 0) return;
        if (until >= (wait.pauseDeadlineAt ?? wait.deadlineAt)) throw pausedError(host, waitMs);
        await sleep(waitMs, undefined, { signal: wait.signal });
      }
    },
    clear: (): void => hosts.clear(),
  };
}
