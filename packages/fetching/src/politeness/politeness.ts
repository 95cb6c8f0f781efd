import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import type { FetchLog } from '../fetch-types.ts';
import { crawlDelayError, limitError, pausedError } from './host-busy.ts';
import { createLocalStarts, type HostStore, type StartStore } from './host-store.ts';

/** Releases the host's slot. Call it exactly once. */
export type LeaveHost = () => void;

export interface HostWait {
  accountId: string;
  deadlineAt: number;
  /** `enter` does not wait for a pause that ends later than this. Default: the deadline. */
  pauseDeadlineAt?: number;
  /** The host's own `Crawl-delay`: requests that have one start so far apart, over all accounts. */
  crawlDelayMs?: number;
  signal: AbortSignal;
}

/** Limits and pauses for each host, over all workers that share the same store. */
export interface Politeness {
  /**
   * Waits until the host may receive a request. Returns undefined when the request may start at once and holds no
   * slot to release (the usual case, which costs nothing). Throws HostBusyError (`fetch_failed`, retryable, with
   * `Retry-After`) when the request can't start before the deadline.
   */
  enter(host: string, wait: HostWait): Promise<LeaveHost | undefined> | undefined;
  /**
   * The host asked this account for a pause: `enter` lets none of its requests through before it is over. While two
   * accounts are asked, all accounts wait: one alone can't keep others from a host, and a host that is busy gets its
   * pause from all.
   */
  slowDown(host: string, accountId: string, pauseMs: number): void;
  close(): Promise<void>;
}

export interface PolitenessOptions {
  /** What all workers share. Default: limits and pauses within this process. */
  store?: HostStore;
  log: FetchLog;
  /** 0 or absent: no limit. */
  hostConcurrency?: number;
  hostRequestsPerSecond?: number;
  /** How often a worker reads the pauses that other workers stored. Default 1 s. */
  pollMs?: number;
  /** How long the store may fail before the first warning. */
  patienceMs?: number;
  now?: () => number;
}

/** A tenant can make any number of hosts request a pause. Beyond this limit the least recently paused are dropped. */
const MAX_HOSTS = 10_000;
/** Two accounts pause a host for all, so more are kept only to know which accounts wait after the second one's end. */
const MAX_ACCOUNTS = 50;

/** Which hosts asked which accounts for a pause. */
type HostPauses = ReturnType<typeof createHostPauses>;

/** An account waits for the end of its own pause, and while two accounts are paused all others wait too. */
function createHostPauses(now: () => number) {
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

/** Longer than any fetch may take, so that a lease only expires when its worker has died. */
const LEASE_MS = 150_000;
const SLOT_POLL_MS = 100;
const WARN_EVERY_MS = 60_000;
/** A store that is down for less than this, such as one that is not connected yet, is worth no warning. */
const PATIENCE_MS = 5_000;

/** Warns of a store that fails, once a minute and not before it has failed for a while. */
function createStoreWarning({ log, patienceMs = PATIENCE_MS }: PolitenessOptions) {
  let warnedAt = 0;
  let failingSince: number | undefined;
  return {
    failed: (error: unknown): void => {
      const now = Date.now();
      failingSince ??= now;
      if (now - failingSince < patienceMs || now - warnedAt < WARN_EVERY_MS) return;
      warnedAt = now;
      log.warn(
        { reason: String(error) },
        'host limits and pauses are not shared with other workers until their store answers',
      );
    },
    works: (): void => {
      failingSince = undefined;
    },
  };
}

type StoreWarning = ReturnType<typeof createStoreWarning>;

/** Applies the pauses that other workers stored. @returns a function that ends it */
function pollPauses(
  { store, pollMs = 1_000 }: PolitenessOptions,
  pauses: HostPauses,
  warning: StoreWarning,
): () => void {
  if (store === undefined) return () => undefined;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    // A store that hangs must not receive one queued query per second when it answers again.
    if (isPolling) return;
    isPolling = true;
    try {
      for (const { host, accountId, leftMs } of await store.listPauses()) pauses.add(host, accountId, leftMs);
      warning.works();
    } catch (error) {
      warning.failed(error);
    } finally {
      isPolling = false;
    }
  };
  const polling = setInterval(() => void poll(), pollMs);
  polling.unref();
  return () => clearInterval(polling);
}

/** Books a start and waits for it. @throws what `toError` makes when it is after the deadline */
async function waitForStart(
  starts: StartStore,
  { name, intervalMs, now }: { name: string; intervalMs: number; now: () => number },
  wait: HostWait,
  toError: (waitMs: number) => Error,
): Promise<void> {
  const maxWaitMs = Math.max(0, wait.deadlineAt - now() - 1);
  const waitMs = await starts.bookStart(name, intervalMs, maxWaitMs);
  if (waitMs > maxWaitMs) throw toError(waitMs);
  if (waitMs > 0) await sleep(waitMs, undefined, { signal: wait.signal });
}

/**
 * Politeness over all workers. The worker that received a pause applies it at once; the others poll the store and
 * follow within a second. A host without a pause or limit costs nothing. When the store fails, a worker applies the
 * limits within its own process.
 */
export function createPoliteness(options: PolitenessOptions): Politeness {
  const { store, hostConcurrency = 0, hostRequestsPerSecond = 0, now = Date.now } = options;
  const pauses = createHostPauses(now);
  const local = createLocalStarts(now);
  const warning = createStoreWarning(options);
  const stopPolling = pollPauses(options, pauses, warning);

  const waitForSlot = async (starts: StartStore, host: string, wait: HostWait): Promise<LeaveHost> => {
    for (;;) {
      const slot = await starts.takeSlot(host, hostConcurrency, LEASE_MS);
      if (slot !== undefined) return () => void starts.releaseSlot(host, slot).catch(warning.failed);
      if (now() + SLOT_POLL_MS >= wait.deadlineAt) throw limitError(host, 1_000);
      await sleep(SLOT_POLL_MS * (0.5 + Math.random()), undefined, { signal: wait.signal });
    }
  };

  const enterLimited = async (
    starts: StartStore,
    host: string,
    wait: HostWait,
  ): Promise<LeaveHost | undefined> => {
    const { crawlDelayMs = 0 } = wait;
    // Before it takes a slot, which others could use meanwhile.
    if (crawlDelayMs > 0) {
      const start = { name: `${host} crawl`, intervalMs: crawlDelayMs, now };
      await waitForStart(starts, start, wait, (ms) => crawlDelayError(host, crawlDelayMs, ms));
    }
    const leave = hostConcurrency > 0 ? await waitForSlot(starts, host, wait) : undefined;
    try {
      if (hostRequestsPerSecond > 0) {
        const start = { name: host, intervalMs: 1_000 / hostRequestsPerSecond, now };
        await waitForStart(starts, start, wait, (ms) => limitError(host, ms));
      }
      // The host may have asked for a pause while this request waited.
      await pauses.waitFor(host, wait);
      return leave;
    } catch (error) {
      leave?.();
      throw error;
    }
  };

  const hasLimit = ({ crawlDelayMs = 0 }: HostWait): boolean =>
    hostConcurrency > 0 || hostRequestsPerSecond > 0 || crawlDelayMs > 0;

  const enterSlowly = async (host: string, wait: HostWait): Promise<LeaveHost | undefined> => {
    try {
      await pauses.waitFor(host, wait);
      return hasLimit(wait) ? await enterLimited(store ?? local, host, wait) : undefined;
    } catch (error) {
      wait.signal.throwIfAborted();
      if (error instanceof AppError || store === undefined) throw error;
      warning.failed(error);
      return enterLimited(local, host, wait);
    }
  };

  return {
    enter: (host, wait) => (hasLimit(wait) || pauses.has(host) ? enterSlowly(host, wait) : undefined),
    slowDown: (host, accountId, pauseMs) => {
      pauses.add(host, accountId, pauseMs);
      void store?.pause(host, accountId, pauseMs).catch(warning.failed);
    },
    close: async () => {
      stopPolling();
      pauses.clear();
    },
  };
}
