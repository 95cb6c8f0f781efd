import { setTimeout as sleep } from 'node:timers/promises';
import type { StartStore } from './host-store.ts';

/** How long a held turn of another worker is left before it is asked for again: at first, and at most. */
const FIRST_POLL_MS = 75;
const MOST_POLL_MS = 600;

/** Who has waited in vain for a turn that another worker keeps comes again after so long at the earliest. */
const KEPT_ELSEWHERE_MS = 2_000;

/** How long a request of this process may take to leave before the store is asked again. */
const MOST_HELD_MS = 1_000;

/** The longest wait that a request is told: tasks of runs wait for ten minutes at most. */
const MOST_TOLD_MS = 590_000;

/** A turn that is kept is given back when nobody of this process wants it for so long, or for its interval. */
const IDLE_MS = 250;

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
  /** How long this process keeps the turn for those that wait here, without asking the store; 0: not. */
  keepMs: number;
  signal: AbortSignal;
  /** The error of who can't wait so long. */
  toError: (waitMs: number) => Error;
}

/** A turn that this process keeps between its requests, by the steady clock. */
interface Kept {
  starts: StartStore;
  token: number;
  /** When its last request will have left an interval ago. */
  freeAt: number;
  /** When the store gives the turn to others. */
  until: number;
}

/** The requests of this process that wait for their turn under one name, in their order. */
interface Lane {
  waiting: number;
  last: Promise<unknown>;
  /** Resolves when the request that has the turn has left. */
  left: Promise<void>;
  /** Whether a request has the turn and has not left. */
  isOut: boolean;
  /** When the turn is known to be free. */
  freeAt: number;
  /** When the last of those that were told to come again is to come. */
  toldAt: number;
  kept: Kept | undefined;
  /** Gives a kept turn back. */
  idle: NodeJS.Timeout | undefined;
}

interface LaneOptions {
  now: () => number;
  /** A clock that nobody sets. */
  steady: () => number;
  onFault: (error: unknown) => void;
}

/** What is done with a turn that this process has: it is granted, kept, given back or refused. */
function createLaneTurns({ now, steady, onFault }: LaneOptions) {
  /** Refuses a request, and tells each to come at a time of its own. */
  const refuse = (lane: Lane, { intervalMs, toError }: StartWait, freeAt: number): never => {
    const toldAt = Math.max(lane.toldAt + intervalMs, freeAt);
    // Those that come after that are told anew.
    if (toldAt < now() + MOST_TOLD_MS) lane.toldAt = toldAt;
    throw toError(Math.min(toldAt - now(), MOST_TOLD_MS));
  };
  const letGo = async (name: string, lane: Lane): Promise<void> => {
    if (lane.kept === undefined || lane.waiting > 0 || lane.isOut) return;
    const { starts, token, freeAt } = lane.kept;
    lane.kept = undefined;
    await starts.sent(name, token, Math.max(0, freeAt - steady()));
  };
  /** Gives the turn back later, unless somebody here wants it until then. */
  const rest = ({ name, intervalMs }: StartWait, lane: Lane): void => {
    if (lane.kept === undefined || lane.waiting > 0 || lane.isOut) return;
    clearTimeout(lane.idle);
    lane.idle = setTimeout(() => void letGo(name, lane).catch(onFault), Math.max(intervalMs, IDLE_MS));
    lane.idle.unref();
  };
  const grant = (starts: StartStore, lane: Lane, wait: StartWait, token: number): Start => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    lane.freeAt = now() + wait.intervalMs;
    lane.left = left;
    lane.isOut = true;
    return {
      sent: async (hasLeft = true) => {
        const ms = hasLeft ? wait.intervalMs : 0;
        lane.isOut = false;
        lane.freeAt = now() + ms;
        const { kept } = lane;
        if (hasLeft && kept?.token === token) kept.freeAt = steady() + ms;
        resolve();
        if (kept?.token === token) rest(wait, lane);
        else await starts.sent(wait.name, token, ms);
      },
    };
  };
  return { refuse, letGo, rest, grant };
}

type LaneTurns = ReturnType<typeof createLaneTurns>;

/** Asks a store for the turn of a lane. */
function createClaims({ now, steady }: LaneOptions, { refuse, grant }: LaneTurns) {
  const untilLeft = ({ left }: Lane, { until, signal }: StartWait): Promise<void> =>
    Promise.race([left, sleep(Math.max(0, Math.min(until - now(), MOST_HELD_MS)), undefined, { signal })]);
  /** Waits for the turn that this process keeps. @returns its token, or undefined when it must be claimed anew */
  const awaitKept = async (lane: Lane, wait: StartWait): Promise<number | undefined> => {
    for (;;) {
      wait.signal.throwIfAborted();
      const { kept, isOut } = lane;
      if (kept === undefined) return undefined;
      const waitMs = isOut ? wait.intervalMs : kept.freeAt - steady();
      if (waitMs <= 0)
        return steady() + kept.starts.holdMs + wait.intervalMs <= kept.until ? kept.token : undefined;
      if (isOut ? now() >= wait.until : now() + waitMs > wait.until) refuse(lane, wait, now() + waitMs);
      if (isOut) await untilLeft(lane, wait);
      else await sleep(Math.ceil(waitMs), undefined, { signal: wait.signal });
    }
  };
  const claim = async (starts: StartStore, lane: Lane, wait: StartWait): Promise<Start> => {
    const { name, intervalMs, until, signal, keepMs } = wait;
    let pollMs = FIRST_POLL_MS;
    await untilLeft(lane, wait);
    for (;;) {
      const own = await awaitKept(lane, wait);
      if (own !== undefined) return grant(starts, lane, wait, own);
      const askedAt = steady();
      const claimed = await starts.claimStart(name, intervalMs, { keepMs, held: lane.kept?.token });
      const { token } = claimed;
      lane.kept =
        token !== undefined && keepMs > 0
          ? { starts, token, freeAt: askedAt, until: askedAt + starts.holdMs + intervalMs + keepMs }
          : undefined;
      if (token !== undefined) return grant(starts, lane, wait, token);
      // Who holds the turn sends soon, and then the interval begins. Who keeps it may give it back at any time.
      const { waitMs, isHeld, isKept = false } = claimed;
      lane.freeAt = now() + (isHeld ? Math.min(waitMs, isKept ? 0 : intervalMs) : waitMs);
      if (isKept && now() >= until) lane.freeAt = now() + intervalMs + KEPT_ELSEWHERE_MS;
      if (lane.freeAt > until) refuse(lane, wait, lane.freeAt);
      const ms = isHeld ? Math.min(pollMs * (0.5 + Math.random()), waitMs, until - now()) : waitMs;
      pollMs = Math.min(2 * pollMs, MOST_POLL_MS);
      await sleep(Math.max(1, Math.ceil(ms)), undefined, { signal });
    }
  };
  return claim;
}

/** Takes turns of a store for the requests of this process: one of them asks the store at a time, so that they don't race. */
export function createHostLanes(options: LaneOptions) {
  const { now, onFault } = options;
  const turns = createLaneTurns(options);
  const { refuse, letGo, rest } = turns;
  const claim = createClaims(options, turns);
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? {
      waiting: 0,
      last: Promise.resolve(),
      left: Promise.resolve(),
      isOut: false,
      freeAt: 0,
      toldAt: 0,
      kept: undefined,
      idle: undefined,
    };
    lanes.set(name, lane);
    return lane;
  };
  const forgetIdle = (): void => {
    for (const [name, { waiting, toldAt, freeAt, kept }] of lanes)
      if (waiting === 0 && kept === undefined && Math.max(toldAt, freeAt) <= now()) lanes.delete(name);
  };
  return {
    /** Gives back the turns that it keeps. */
    close: async (): Promise<void> => {
      const given = Array.from(lanes, ([name, lane]) => letGo(name, lane).catch(onFault));
      await Promise.all(given);
    },
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
        rest(wait, lane);
        if (lane.waiting === 0 && lanes.size > 1_000) forgetIdle();
      }
    },
  };
}
