import { setTimeout as sleep } from 'node:timers/promises';
import { limitError, pausedError } from './host-busy.ts';
import { createHostPace, createStartBook } from './host-pace.ts';
import type { HostWait, Politeness } from './politeness.ts';
import { LRUCache } from 'lru-cache';

/** A tenant can make any number of hosts request a pause. Beyond this limit the least recently paused are dropped. */
const MAX_HOSTS = 10_000;
/** Two accounts pause a host for all, so more are kept only to know which accounts wait after the second one's end. */
const MAX_ACCOUNTS = 50;

/** Which hosts asked which accounts for a pause. Times are those of `now`, in ms. */
interface HostPauses {
  add(host: string, accountId: string, pauseMs: number): void;
  has(host: string): boolean;
  /** When the account may send the host a request; 0 when no pause is known. */
  endOf(host: string, accountId: string): number;
  clear(): void;
}

/** An account waits for the end of its own pause, and while two accounts are paused all others wait too. */
function createHostPauses(now: () => number): HostPauses {
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

interface LocalPolitenessOptions {
  /** 0 or absent: no limit. */
  hostConcurrency?: number;
  hostRequestsPerSecond?: number;
  now?: () => number;
}

interface HostState {
  running: number;
  waiting: (() => void)[];
}

/** Waits for a free slot of the host. Throws HostBusyError at the deadline. */
function waitForSlot(host: string, state: HostState, wait: HostWait, now: () => number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      wait.signal.removeEventListener('abort', onAbort);
      const position = state.waiting.indexOf(onSlot);
      if (position !== -1) state.waiting.splice(position, 1);
      if (error === undefined) resolve();
      else reject(error);
    };
    // The previous owner hands its slot over directly: `running` does not change.
    const onSlot = (): void => finish();
    const onAbort = (): void => finish(wait.signal.reason as Error);
    const timer = setTimeout(() => finish(limitError(host, 1_000)), Math.max(0, wait.deadlineAt - now()));
    wait.signal.addEventListener('abort', onAbort, { once: true });
    state.waiting.push(onSlot);
  });
}

/** The slots of each host within this process. @param hostConcurrency 0: any number */
function createLocalSlots(hostConcurrency: number, now: () => number) {
  const hosts = new Map<string, HostState>();

  const stateOf = (host: string): HostState => {
    const state = hosts.get(host) ?? { running: 0, waiting: [] };
    hosts.set(host, state);
    return state;
  };

  const release = (host: string, state: HostState): void => {
    const next = state.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    state.running -= 1;
    if (state.running === 0) hosts.delete(host);
  };

  return {
    /** Takes a slot, runs `beforeStart`, and returns the function that releases the slot. */
    enter: async (host: string, wait: HostWait, beforeStart: () => Promise<void>): Promise<() => void> => {
      const state = stateOf(host);
      if (hostConcurrency === 0 || state.running < hostConcurrency) {
        state.running += 1;
      } else {
        wait.signal.throwIfAborted();
        await waitForSlot(host, state, wait, now);
      }
      try {
        await beforeStart();
      } catch (error) {
        release(host, state);
        throw error;
      }
      return () => release(host, state);
    },
  };
}

/** Politeness of one process: enough for a single worker, and the local half of the shared one. */
export function createLocalPoliteness(options: LocalPolitenessOptions = {}): Politeness {
  const now = options.now ?? Date.now;
  const { hostConcurrency = 0, hostRequestsPerSecond = 0 } = options;
  const isLimited = hostConcurrency > 0 || hostRequestsPerSecond > 0;
  const slots = createLocalSlots(hostConcurrency, now);
  const pace = createHostPace(createStartBook(now), hostRequestsPerSecond, now);
  const pauses = createHostPauses(now);

  const waitForPause = async (host: string, wait: HostWait): Promise<void> => {
    for (;;) {
      const until = pauses.endOf(host, wait.accountId);
      const waitMs = until - now();
      if (waitMs <= 0) return;
      if (until >= (wait.pauseDeadlineAt ?? wait.deadlineAt)) throw pausedError(host, waitMs);
      await sleep(waitMs, undefined, { signal: wait.signal });
    }
  };

  const enterSlowly = async (host: string, wait: HostWait): Promise<(() => void) | undefined> => {
    await waitForPause(host, wait);
    await pace.waitForCrawlDelay(host, wait);
    if (isLimited) {
      return slots.enter(host, wait, async () => {
        await pace.waitForLimit(host, wait);
        // The host may have asked for a pause while the request waited.
        await waitForPause(host, wait);
      });
    }
    await waitForPause(host, wait);
    return undefined;
  };

  return {
    enter: (host, wait) =>
      isLimited || pauses.has(host) || (wait.crawlDelayMs ?? 0) > 0 ? enterSlowly(host, wait) : undefined,
    slowDown: pauses.add,
    close: async () => pauses.clear(),
  };
}
