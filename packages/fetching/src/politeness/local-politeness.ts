import { setTimeout as sleep } from 'node:timers/promises';
import { limitError, pausedError } from './host-busy.ts';
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

/** Beyond this number of hosts, those without a request or a booked start are forgotten. */
const MAX_IDLE = 10_000;

interface HostState {
  running: number;
  waiting: (() => void)[];
  nextStartAt: number;
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

/** The configured limits, per host, within this process. */
function createLocalLimits(hostConcurrency: number, hostRequestsPerSecond: number, now: () => number) {
  const hosts = new Map<string, HostState>();

  const stateOf = (host: string): HostState => {
    const state = hosts.get(host) ?? { running: 0, waiting: [], nextStartAt: 0 };
    hosts.set(host, state);
    return state;
  };

  const forgetIdleHosts = (): void => {
    for (const [host, { running, nextStartAt }] of hosts) {
      if (running === 0 && nextStartAt <= now()) hosts.delete(host);
    }
  };

  const release = (host: string, state: HostState): void => {
    const next = state.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    state.running -= 1;
    if (state.running > 0) return;
    // The entry stays while its next start is in the future; a later sweep removes it.
    if (state.nextStartAt <= now()) hosts.delete(host);
    else if (hosts.size > MAX_IDLE) forgetIdleHosts();
  };

  const waitForStart = async (host: string, state: HostState, wait: HostWait): Promise<void> => {
    const startAt = Math.max(now(), state.nextStartAt);
    if (startAt >= wait.deadlineAt) throw limitError(host, startAt - now());
    state.nextStartAt = startAt + 1_000 / hostRequestsPerSecond;
    if (startAt > now()) await sleep(startAt - now(), undefined, { signal: wait.signal });
  };

  return {
    isLimited: hostConcurrency > 0 || hostRequestsPerSecond > 0,
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
        if (hostRequestsPerSecond > 0) await waitForStart(host, state, wait);
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
  const limits = createLocalLimits(options.hostConcurrency ?? 0, options.hostRequestsPerSecond ?? 0, now);
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
    if (!limits.isLimited) return undefined;
    // The host may ask for a pause while the request waits for its slot.
    return limits.enter(host, wait, () => waitForPause(host, wait));
  };

  return {
    enter: (host, wait) => (limits.isLimited || pauses.has(host) ? enterSlowly(host, wait) : undefined),
    slowDown: pauses.add,
    close: async () => pauses.clear(),
  };
}
