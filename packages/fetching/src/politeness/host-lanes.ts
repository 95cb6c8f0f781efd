import { setTimeout as sleep } from 'node:timers/promises';
import type { StartStore } from './host-store.ts';

/** How long a held turn of another worker is left before it is asked for again. */
const POLL_MS = 150;

/** How long a request of this process may take to leave before the store is asked again. */
const MOST_HELD_MS = 1_000;

/** The longest wait that a request is told: tasks of runs wait for ten minutes at most. */
const MOST_TOLD_MS = 590_000;

/** A turn to ask a host. */
export interface Start {
  /** The request has left, or with `false` none will: the next one may follow at once. */
  sent(hasLeft?: boolean): Promise<void>;
}

export interface StartWait {
  name: string;
  intervalMs: number;
  /** It does not wait for a turn later than this. */
  until: number;
  /** How many may wait in this process besides the one whose turn is next. */
  mostWaiting: number;
  signal: AbortSignal;
  /** The error of who can't wait so long. */
  toError: (waitMs: number) => Error;
}

/** The requests of this process that wait for their turn under one name, in their order. */
interface Lane {
  waiting: number;
  last: Promise<unknown>;
  /** Resolves when the request that has the turn has left. */
  left: Promise<void>;
  /** When the turn is known to be free. */
  freeAt: number;
  /** When the last of those that were told to come again is to come. */
  toldAt: number;
}

/** Takes turns of a store for the requests of this process: one of them asks the store at a time, so that they don't race. */
export function createHostLanes(now: () => number) {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? {
      waiting: 0,
      last: Promise.resolve(),
      left: Promise.resolve(),
      freeAt: 0,
      toldAt: 0,
    };
    lanes.set(name, lane);
    return lane;
  };
  /** Refuses a request, and tells each to come at a time of its own. */
  const refuse = (lane: Lane, { intervalMs, toError }: StartWait, freeAt: number): never => {
    const toldAt = Math.max(lane.toldAt + intervalMs, freeAt);
    // Those that come after that are told anew.
    if (toldAt < now() + MOST_TOLD_MS) lane.toldAt = toldAt;
    throw toError(Math.min(toldAt - now(), MOST_TOLD_MS));
  };
  const claim = async (starts: StartStore, lane: Lane, wait: StartWait): Promise<Start> => {
    const { name, intervalMs, until, signal } = wait;
    await Promise.race([
      lane.left,
      sleep(Math.max(0, Math.min(until - now(), MOST_HELD_MS)), undefined, { signal }),
    ]);
    for (;;) {
      signal.throwIfAborted();
      const claimed = await starts.claimStart(name, intervalMs);
      if (claimed.token !== undefined) {
        const { token } = claimed;
        const { promise: left, resolve } = Promise.withResolvers<void>();
        lane.freeAt = now() + intervalMs;
        lane.left = left;
        return {
          sent: async (hasLeft = true) => {
            resolve();
            const ms = hasLeft ? intervalMs : 0;
            lane.freeAt = now() + ms;
            await starts.sent(name, token, ms);
          },
        };
      }
      // Who holds the turn sends soon, and then the interval begins.
      lane.freeAt = now() + (claimed.isHeld ? Math.min(claimed.waitMs, intervalMs) : claimed.waitMs);
      if (lane.freeAt > until) refuse(lane, wait, lane.freeAt);
      const ms = claimed.isHeld ? Math.min(POLL_MS * (0.5 + Math.random()), claimed.waitMs) : claimed.waitMs;
      await sleep(Math.max(1, Math.ceil(ms)), undefined, { signal });
    }
  };
  return {
    /** Waits for the turn. @throws what `toError` makes when it comes too late, or too many wait already */
    enter: async (starts: StartStore, wait: StartWait): Promise<Start> => {
      const lane = laneOf(wait.name);
      const turnAt = Math.max(lane.freeAt, now()) + lane.waiting * wait.intervalMs;
      if (lane.waiting > wait.mostWaiting || turnAt > wait.until) refuse(lane, wait, turnAt);
      lane.waiting += 1;
      const claimed = lane.last.then(() => claim(starts, lane, wait));
      lane.last = claimed.catch(() => undefined);
      try {
        return await claimed;
      } finally {
        lane.waiting -= 1;
        if (lane.waiting === 0 && lanes.size > 1_000)
          for (const [name, { waiting, toldAt, freeAt }] of lanes)
            if (waiting === 0 && Math.max(toldAt, freeAt) <= now()) lanes.delete(name);
      }
    },
  };
}
