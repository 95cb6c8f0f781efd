import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { FetchLog } from '../fetch-types.ts';
import { crawlDelayError, limitError, ownPaceError, redirectPaceError } from './host-busy.ts';
import { createHostLanes, type Start } from './host-lanes.ts';
import { createHostPauses, type HostPauses } from './host-pauses.ts';
import type { HostVisit, HostWait, OwnPace } from './host-wait.ts';
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
}

/** Longer than any fetch may take, so that a lease only expires when its worker has died. */
const LEASE_MS = 150_000;
const SLOT_POLL_MS = 100;
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

/** A task of a run waits so long for its turn in its slot. */
const OWN_PATIENCE_MS = 2_000;

/** What a request has taken of its host, given back when it can't be sent or has ended. */
function createHeld(warning: StoreWarning) {
  const slots: (() => Promise<void>)[] = [];
  let starts: Start[] = [];
  const end = (hasLeft: boolean): void => {
    const ended = starts;
    starts = [];
    for (const start of ended) start.sent(hasLeft).catch(warning.failed);
  };
  const release = (): void => {
    for (const free of slots.splice(0)) free().catch(warning.failed);
  };
  return {
    addSlot: (free: () => Promise<void>): void => void slots.push(free),
    addStart: (start: Start): void => void starts.push(start),
    isEmpty: (): boolean => slots.length === 0 && starts.length === 0,
    giveBack: (): void => {
      end(false);
      release();
    },
    visit: {
      sent: () => end(true),
      leave: () => {
        end(true);
        release();
      },
    } satisfies HostVisit,
  };
}

type Held = ReturnType<typeof createHeld>;

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

  const lanes = createHostLanes(now);

  const waitForSlot = async (starts: StartStore, held: Held, host: string, wait: HostWait): Promise<void> => {
    for (;;) {
      const slot = await starts.takeSlot(host, hostConcurrency, LEASE_MS);
      if (slot !== undefined) return held.addSlot(() => starts.releaseSlot(host, slot));
      if (now() + SLOT_POLL_MS >= wait.deadlineAt) throw limitError(host, 1_000);
      await sleep(SLOT_POLL_MS * (0.5 + Math.random()), undefined, { signal: wait.signal });
    }
  };
  const takeOwnSlot = async (
    starts: StartStore,
    held: Held,
    host: string,
    { run, concurrency }: OwnPace,
  ): Promise<void> => {
    const name = `run:${run} ${host}`;
    const slot = await starts.takeSlot(name, concurrency, LEASE_MS);
    if (slot === undefined) throw ownPaceError('hostConcurrency', host, OWN_PATIENCE_MS);
    held.addSlot(() => starts.releaseSlot(name, slot));
  };
  /** Takes its turns, its run's own last: until its request leaves, the run's next one waits. */
  const takeStarts = async (starts: StartStore, held: Held, host: string, wait: HostWait): Promise<void> => {
    const { crawlDelayMs = 0, own, deadlineAt: until, signal, isRedirect = false } = wait;
    const queued = { until, mostWaiting: Infinity, signal };
    if (crawlDelayMs > 0 && !isRedirect) {
      const toError = (ms: number) => crawlDelayError(host, crawlDelayMs, ms);
      held.addStart(
        await lanes.enter(starts, { ...queued, name: `${host} crawl`, intervalMs: crawlDelayMs, toError }),
      );
    }
    if (hostRequestsPerSecond > 0) {
      const toError = (ms: number) => limitError(host, ms);
      held.addStart(
        await lanes.enter(starts, {
          ...queued,
          name: host,
          intervalMs: 1_000 / hostRequestsPerSecond,
          toError,
        }),
      );
    }
    if (own === undefined || own.delayMs <= 0) return;
    const toError = (ms: number) =>
      isRedirect ? redirectPaceError(host) : ownPaceError('hostDelaySeconds', host, ms);
    // A redirect can't be sent later from where the page is now, so it waits here.
    const patience = isRedirect
      ? queued
      : { until: Math.min(until, now() + OWN_PATIENCE_MS), mostWaiting: 0, signal };
    held.addStart(
      await lanes.enter(starts, {
        ...patience,
        name: `run:${own.run} ${host}`,
        intervalMs: own.delayMs,
        toError,
      }),
    );
  };

  const enterLimited = async (
    starts: StartStore,
    host: string,
    wait: HostWait,
  ): Promise<HostVisit | undefined> => {
    const held = createHeld(warning);
    try {
      const { own, hasSlot = false } = wait;
      if (own !== undefined && own.concurrency > 0 && !hasSlot) await takeOwnSlot(starts, held, host, own);
      if (hostConcurrency > 0 && !hasSlot) await waitForSlot(starts, held, host, wait);
      await takeStarts(starts, held, host, wait);
      // The host may have asked for a pause while this request waited.
      await pauses.waitFor(host, wait);
      return held.isEmpty() ? undefined : held.visit;
    } catch (error) {
      held.giveBack();
      throw error;
    }
  };

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
      if (wait.own !== undefined) throw ownPaceError('the shared state of', host, STORE_AWAY_MS);
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
