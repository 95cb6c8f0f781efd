import { setTimeout as sleep } from 'node:timers/promises';
import type { HostStore } from './host-store.ts';
import type { FetchLog } from '../fetch-types.ts';
import { createLocalPoliteness } from './local-politeness.ts';
import { limitError } from './host-busy.ts';
import { createHostPace } from './host-pace.ts';
import type { HostWait, LeaveHost, Politeness } from './politeness.ts';

export interface SharedPolitenessOptions {
  store: HostStore;
  log: FetchLog;
  /** 0 or absent: no limit. */
  hostConcurrency?: number;
  hostRequestsPerSecond?: number;
  /** Why the store failed, in words. Default: the error's message. */
  reasonOf?: (error: unknown) => string;
  /** How often a worker reads the pauses that other workers stored. Default 1 s. */
  pollMs?: number;
  /** How long the store may fail before the first warning. */
  patienceMs?: number;
}

/** Longer than any fetch may take, so that a lease only expires when its worker has died. */
const LEASE_MS = 150_000;
const SLOT_POLL_MS = 100;
const WARN_EVERY_MS = 60_000;
/** A store that is down for less than this, such as one that is not connected yet, is worth no warning. */
const PATIENCE_MS = 5_000;

/** Warns of a store that fails, once a minute and not before it has failed for a while. */
function createStoreWarning({ log, reasonOf = String, patienceMs = PATIENCE_MS }: SharedPolitenessOptions) {
  let warnedAt = 0;
  let failingSince: number | undefined;
  return {
    failed: (error: unknown): void => {
      const now = Date.now();
      failingSince ??= now;
      if (now - failingSince < patienceMs || now - warnedAt < WARN_EVERY_MS) return;
      warnedAt = now;
      log.warn(
        { reason: reasonOf(error) },
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
  { store, pollMs = 1_000 }: SharedPolitenessOptions,
  pauses: Politeness,
  warning: StoreWarning,
): () => void {
  let isPolling = false;
  const poll = async (): Promise<void> => {
    // A store that hangs must not receive one queued query per second when it answers again.
    if (isPolling) return;
    isPolling = true;
    try {
      for (const { host, accountId, leftMs } of await store.listPauses()) {
        pauses.slowDown(host, accountId, leftMs);
      }
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
export function createSharedPoliteness(options: SharedPolitenessOptions): Politeness {
  const { store, hostConcurrency = 0, hostRequestsPerSecond = 0 } = options;
  const isLimited = hostConcurrency > 0 || hostRequestsPerSecond > 0;
  const pauses = createLocalPoliteness();
  const alone = createLocalPoliteness(options);
  const warning = createStoreWarning(options);
  const pace = createHostPace(store.bookStart, hostRequestsPerSecond);
  const stopPolling = pollPauses(options, pauses, warning);

  const waitForSlot = async (host: string, wait: HostWait): Promise<LeaveHost> => {
    for (;;) {
      const slot = await store.takeSlot(host, hostConcurrency, LEASE_MS);
      if (slot !== undefined) return () => void store.releaseSlot(host, slot).catch(warning.failed);
      if (Date.now() + SLOT_POLL_MS >= wait.deadlineAt) throw limitError(host, 1_000);
      await sleep(SLOT_POLL_MS * (0.5 + Math.random()), undefined, { signal: wait.signal });
    }
  };

  const isStoreFailure = (error: unknown, wait: HostWait): boolean =>
    !wait.signal.aborted && !(error instanceof Error && error.name === 'AppError');

  const enterLimited = async (host: string, wait: HostWait): Promise<LeaveHost | undefined> => {
    await pauses.enter(host, wait);
    let leave: LeaveHost | undefined;
    try {
      // Before it takes a slot, which others could use meanwhile.
      await pace.waitForCrawlDelay(host, wait);
      if (hostConcurrency > 0) leave = await waitForSlot(host, wait);
      await pace.waitForLimit(host, wait);
      // The host may have asked for a pause while this request waited.
      await pauses.enter(host, wait);
      return leave;
    } catch (error) {
      leave?.();
      if (!isStoreFailure(error, wait)) throw error;
      warning.failed(error);
      return alone.enter(host, wait);
    }
  };

  return {
    enter: (host, wait) =>
      isLimited || (wait.crawlDelayMs ?? 0) > 0 ? enterLimited(host, wait) : pauses.enter(host, wait),
    slowDown: (host, accountId, pauseMs) => {
      pauses.slowDown(host, accountId, pauseMs);
      void store.pause(host, accountId, pauseMs).catch(warning.failed);
    },
    close: async () => {
      stopPolling();
      await Promise.all([pauses.close(), alone.close()]);
    },
  };
}
