import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError } from '@gleaner/contracts';
import { crawlDelayError, limitError, ownPaceError, redirectPaceError } from './host-busy.ts';
import { createHostLanes, type Start } from './host-lanes.ts';
import { createHostPlaces, LEASE_MS, type PlaceWait } from './host-places.ts';
import type { StartStore } from './host-store.ts';
import { OWN_PATIENCE_MS, type HostVisit, type HostWait, type OwnPace } from './host-wait.ts';

const SLOT_POLL_MS = 100;

/** What a request has taken of its host, given back when it can't be sent or has ended. */
function createHeld(onFault: (error: unknown) => void) {
  const slots: (() => Promise<void> | void)[] = [];
  let starts: Start[] = [];
  const end = (hasLeft: boolean): void => {
    const ended = starts;
    starts = [];
    for (const start of ended) start.sent(hasLeft).catch(onFault);
  };
  const release = (): void => {
    for (const free of slots.splice(0)) free()?.catch(onFault);
  };
  return {
    addSlot: (free: () => Promise<void> | void): void => void slots.push(free),
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

interface TakeOptions {
  hostConcurrency: number;
  hostRequestsPerSecond: number;
  now: () => number;
  /** A clock that nobody sets. */
  steady: () => number;
  keepMs: number;
  /** Called when what was taken could not be given back; it ends by itself. */
  onFault: (error: unknown) => void;
}

/** What a page of a run waits for at a host of which the run asks so many at once. */
function ownPlace(host: string, { run, concurrency }: OwnPace, wait: HostWait, now: number): PlaceWait {
  return {
    name: `run:${run} ${host}`,
    places: concurrency,
    until: Math.min(wait.deadlineAt, now + OWN_PATIENCE_MS),
    signal: wait.signal,
    toError: (ms) => ownPaceError('hostConcurrency', host, ms),
  };
}

/** What a request takes of its host before it is sent: slots, then turns. */
export function createHostTakes(options: TakeOptions) {
  const { hostConcurrency, hostRequestsPerSecond, now, onFault } = options;
  const lanes = createHostLanes(options);
  const places = createHostPlaces(options);

  const waitForSlot = async (starts: StartStore, held: Held, host: string, wait: HostWait): Promise<void> => {
    for (;;) {
      const taken = await starts.takeSlots(host, hostConcurrency, 1, LEASE_MS);
      if (taken.length > 0) return held.addSlot(() => starts.releaseSlots(host, taken));
      if (now() + SLOT_POLL_MS >= wait.deadlineAt) throw limitError(host, 1_000);
      await sleep(SLOT_POLL_MS * (0.5 + Math.random()), undefined, { signal: wait.signal });
    }
  };
  /** Takes its turns, its run's own last: until its request leaves, the run's next one waits. */
  const takeStarts = async (starts: StartStore, held: Held, host: string, wait: HostWait): Promise<void> => {
    const { crawlDelayMs = 0, own, deadlineAt: until, signal, isRedirect = false, isBound = false } = wait;
    const queued = { until, mostWaiting: Infinity, signal, keepMs: 0 };
    const turn = async (
      name: string,
      intervalMs: number,
      toError: (ms: number) => AppError,
      patience = queued,
    ): Promise<void> => held.addStart(await lanes.enter(starts, { ...patience, name, intervalMs, toError }));
    if (crawlDelayMs > 0 && !isRedirect)
      await turn(`${host} crawl`, crawlDelayMs, (ms) => crawlDelayError(host, crawlDelayMs, ms));
    if (hostRequestsPerSecond > 0)
      await turn(host, 1_000 / hostRequestsPerSecond, (ms) => limitError(host, ms));
    if (own === undefined || own.delayMs <= 0) return;
    // Where tasks don't wait for it in their slots, nothing is kept.
    const keepMs = own.delayMs <= OWN_PATIENCE_MS ? options.keepMs : 0;
    const patience = isBound
      ? { ...queued, keepMs }
      : { until: Math.min(until, now() + OWN_PATIENCE_MS), mostWaiting: 0, signal, keepMs };
    const toError = (ms: number): AppError =>
      isBound ? redirectPaceError(host) : ownPaceError('hostDelaySeconds', host, ms);
    await turn(`run:${own.run} ${host}`, own.delayMs, toError, patience);
  };

  return {
    /** Gives back the turns and places that it keeps. */
    close: async (): Promise<void> => {
      await Promise.all([lanes.close(), places.close()]);
    },
    /** Takes all that the request needs, or nothing. @throws HostBusyError when it comes too late */
    take: async (
      starts: StartStore,
      host: string,
      wait: HostWait,
      then: () => Promise<void>,
    ): Promise<HostVisit | undefined> => {
      const held = createHeld(onFault);
      try {
        const { own, hasSlot = false } = wait;
        if (own !== undefined && own.concurrency > 0 && !hasSlot)
          held.addSlot(await places.enter(starts, ownPlace(host, own, wait, now())));
        if (hostConcurrency > 0 && !hasSlot) await waitForSlot(starts, held, host, wait);
        await takeStarts(starts, held, host, wait);
        await then();
        return held.isEmpty() ? undefined : held.visit;
      } catch (error) {
        held.giveBack();
        throw error;
      }
    },
  };
}
