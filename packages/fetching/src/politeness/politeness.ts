import { AppError } from '@gleaner/contracts';
import type { FetchLog } from '../fetch-types.ts';
import { paceAwayError } from './host-busy.ts';
import { createHostPauses, type HostPauses } from './host-pauses.ts';
import { createHostTakes } from './host-takes.ts';
import type { HostVisit, HostWait } from './host-wait.ts';
import { createLocalStarts, type HostStore, type StartStore } from './host-store.ts';

/** Limits and pauses for each host, over all workers that share the same store. */
export interface Politeness {
  /**
   * Waits until the host may receive a request. Returns undefined when the request may start at once and nothing
   * is counted (the usual case, which costs nothing). Throws HostBusyError (`fetch_failed`, retryable, with
   * `Retry-After`) when the request can't start before the deadline.
   */
  enter(host: string, wait: HostWait): Promise<HostVisit | undefined> | undefined;
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
  /** How long a worker keeps the turn of a run. Shorter in tests. */
  keepMs?: number;
}

/** A worker keeps the turn of a run for its further pages so long. */
const KEEP_MS = 10_000;
/** A run that keeps a pace waits so long for a store that fails. */
const STORE_AWAY_MS = 5_000;
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

  const steady = options.now ?? (() => performance.now());
  const takes = createHostTakes({
    hostConcurrency,
    hostRequestsPerSecond,
    now,
    steady,
    keepMs: options.keepMs ?? KEEP_MS,
    onFault: warning.failed,
  });

  // The host may ask for a pause while a request waits.
  const enterLimited = (starts: StartStore, host: string, wait: HostWait): Promise<HostVisit | undefined> =>
    takes.take(starts, host, wait, () => pauses.waitFor(host, wait));

  const hasLimit = ({ crawlDelayMs = 0, own }: HostWait): boolean =>
    hostConcurrency > 0 || hostRequestsPerSecond > 0 || crawlDelayMs > 0 || own !== undefined;

  const enterSlowly = async (host: string, wait: HostWait): Promise<HostVisit | undefined> => {
    try {
      await pauses.waitFor(host, wait);
      return hasLimit(wait) ? await enterLimited(store ?? local, host, wait) : undefined;
    } catch (error) {
      wait.signal.throwIfAborted();
      if (error instanceof AppError || store === undefined) throw error;
      warning.failed(error);
      // Nobody knows when the run last asked the host.
      if (wait.own !== undefined) throw paceAwayError(host, STORE_AWAY_MS);
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
      await takes.close();
    },
  };
}
