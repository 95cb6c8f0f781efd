import { setTimeout as sleep } from 'node:timers/promises';
import type { HostStore } from './host-store.ts';
import type { FetchLog } from '../fetch-types.ts';
import { createLocalPoliteness } from './local-politeness.ts';
import { limitError } from './host-busy.ts';
import type { HostWait, LeaveHost, Politeness } from './politeness.ts';

export interface SharedPolitenessOptions {
  store: HostStore;
  log: FetchLog;
  /** 0 or absent: no limit. */
  hostConcurrency?: number;
  hostRequestsPerSecond?: number;
  /** How soon one worker learns of another's pause. Default 1 s. */
  pollMs?: number;
}

/** Longer than any fetch may take: a lease only runs out when its worker died. */
const LEASE_MS = 150_000;
const PLACE_POLL_MS = 100;
const COMPLAIN_EVERY_MS = 60_000;

/**
 * Politeness over all workers. Pauses are learnt by polling: the worker that was told to wait knows at once, the
 * others within a second, and a host without a pause or limit costs nothing. Without its store a worker goes on
 * alone, by its own limits.
 */
export function createSharedPoliteness(options: SharedPolitenessOptions): Politeness {
  const { store, log, hostConcurrency = 0, hostRequestsPerSecond = 0 } = options;
  const isLimited = hostConcurrency > 0 || hostRequestsPerSecond > 0;
  const pauses = createLocalPoliteness();
  const alone = createLocalPoliteness(options);
  let complainedAt = 0;
  let isLearning = false;

  const complain = (error: unknown): void => {
    if (Date.now() - complainedAt < COMPLAIN_EVERY_MS) return;
    complainedAt = Date.now();
    log.warn({ err: error }, 'host limits are not shared: their store does not answer');
  };

  const learn = async (): Promise<void> => {
    // A store that hangs would find all that was asked meanwhile when it comes back.
    if (isLearning) return;
    isLearning = true;
    try {
      for (const { host, leftMs } of await store.listPauses()) pauses.slowDown(host, leftMs);
    } catch (error) {
      complain(error);
    } finally {
      isLearning = false;
    }
  };
  const learning = setInterval(() => void learn(), options.pollMs ?? 1_000);
  learning.unref();

  const takeSlot = async (host: string, wait: HostWait): Promise<LeaveHost> => {
    for (;;) {
      const place = await store.takeSlot(host, hostConcurrency, LEASE_MS);
      if (place !== undefined) return () => void store.releaseSlot(host, place).catch(complain);
      if (Date.now() + PLACE_POLL_MS >= wait.deadlineAt) throw limitError(host, 1_000);
      await sleep(PLACE_POLL_MS * (0.5 + Math.random()), undefined, { signal: wait.signal });
    }
  };

  const waitForStart = async (host: string, wait: HostWait): Promise<void> => {
    const waitMs = await store.bookStart(host, 1_000 / hostRequestsPerSecond);
    if (Date.now() + waitMs >= wait.deadlineAt) throw limitError(host, waitMs);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: wait.signal });
  };

  const isStoreFailure = (error: unknown, wait: HostWait): boolean =>
    !wait.signal.aborted && !(error instanceof Error && error.name === 'AppError');

  const enterLimited = async (host: string, wait: HostWait): Promise<LeaveHost | undefined> => {
    await pauses.enter(host, wait);
    let leave: LeaveHost | undefined;
    try {
      if (hostConcurrency > 0) leave = await takeSlot(host, wait);
      if (hostRequestsPerSecond > 0) await waitForStart(host, wait);
      // It may have asked for a pause meanwhile.
      await pauses.enter(host, wait);
      return leave;
    } catch (error) {
      leave?.();
      if (!isStoreFailure(error, wait)) throw error;
      complain(error);
      return alone.enter(host, wait);
    }
  };

  return {
    enter: (host, wait) => (isLimited ? enterLimited(host, wait) : pauses.enter(host, wait)),
    slowDown: (host, pauseMs) => {
      pauses.slowDown(host, pauseMs);
      void store.pause(host, pauseMs).catch(complain);
    },
    close: async () => {
      clearInterval(learning);
      await Promise.all([pauses.close(), alone.close()]);
    },
  };
}
