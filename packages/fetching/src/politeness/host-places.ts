import { setTimeout as sleep } from 'node:timers/promises';
import type { StartStore } from './host-store.ts';

/** Longer than any fetch may take, so that a lease only expires when its worker has died. */
export const LEASE_MS = 150_000;
/** A page may begin in a place that its process has so long: what is left of the lease outlasts any fetch. */
const KEEP_MS = 20_000;
/** Places that no page of this process wants for so long are given back. */
const IDLE_MS = 100;
/** Others may have given a place back after so long, and twice as long after each further question. */
const FIRST_ASK_MS = 50;
/** After a page has waited in vain, the next ones don't until a place is free, or for so long. */
const MOST_REST_MS = 10_000;
/** Where others have all places, those don't that come so soon after one another: the rest of its chunk. */
const REST_MS = 100;
/** The first of them comes again after so long: others may have given a place back, and called nobody. */
const VAIN_MS = 2_000;
/** How long a page is taken to need its place before the first one has ended. */
const FIRST_MEAN_MS = 1_000;
const MEAN_WEIGHT = 0.2;
/** The longest wait that a page is told. */
const MOST_TOLD_MS = 590_000;

export interface PlaceWait {
  name: string;
  /** How many requests may be under way at once, over all workers. */
  places: number;
  /** It waits in its slot until then at most. */
  until: number;
  signal: AbortSignal;
  /** The error of who can't wait so long. */
  toError: (waitMs: number) => Error;
}

interface Place {
  starts: StartStore;
  token: string;
  /** By the steady clock. */
  usableUntil: number;
}

/** What this process has, and waits for, under one name. */
interface Lane {
  free: Place[];
  inUse: number;
  /** Requests that the running question is for, and the question. */
  wanted: number;
  asking: Promise<void> | undefined;
  /** By the steady clock: the store is not asked before that, since others have all places. */
  askAt: number;
  askAfterMs: number;
  /** Wakes the one request that waits. */
  wake: (() => void) | undefined;
  isWaiting: boolean;
  restUntil: number;
  toldAt: number;
  meanMs: number;
  /** Resolves when what was given back is free. */
  given: Promise<unknown>;
  idle: NodeJS.Timeout | undefined;
}

interface PlaceOptions {
  now: () => number;
  /** A clock that nobody sets. */
  steady: () => number;
  onFault: (error: unknown) => void;
}

function openLane(): Lane {
  return {
    free: [],
    inUse: 0,
    wanted: 0,
    asking: undefined,
    askAt: 0,
    askAfterMs: FIRST_ASK_MS,
    wake: undefined,
    isWaiting: false,
    restUntil: 0,
    toldAt: 0,
    meanMs: FIRST_MEAN_MS,
    given: Promise.resolve(),
    idle: undefined,
  };
}

/** Asks the store for places, gives them to requests of this process, and gives them back. */
function createPlaceStore({ steady, onFault }: PlaceOptions) {
  const giveBack = (name: string, lane: Lane, places: readonly Place[]): void => {
    const [first] = places;
    if (first === undefined) return;
    const tokens = places.filter(({ starts }) => starts === first.starts).map(({ token }) => token);
    lane.given = Promise.all([lane.given, first.starts.releaseSlots(name, tokens)]).catch(onFault);
    giveBack(
      name,
      lane,
      places.filter(({ starts }) => starts !== first.starts),
    );
  };
  const ask = async (starts: StartStore, lane: Lane, { name, places }: PlaceWait): Promise<void> => {
    // Those that come at the same time are asked for at once.
    await lane.given;
    const wanted = Math.min(lane.wanted, places - lane.inUse - lane.free.length);
    if (wanted <= 0) return;
    const askedAt = steady();
    const tokens = await starts.takeSlots(name, places, wanted, LEASE_MS);
    for (const token of tokens) lane.free.push({ starts, token, usableUntil: askedAt + KEEP_MS });
    lane.askAfterMs = tokens.length > 0 ? FIRST_ASK_MS : lane.askAfterMs * 2;
    lane.askAt = tokens.length < wanted ? steady() + lane.askAfterMs * (0.5 + Math.random()) : 0;
  };
  const letGo = (name: string, lane: Lane): void => giveBack(name, lane, lane.free.splice(0));
  const grant = (name: string, lane: Lane, place: Place): (() => void) => {
    const begunAt = steady();
    lane.inUse += 1;
    return () => {
      lane.inUse -= 1;
      lane.restUntil = 0;
      lane.meanMs += (steady() - begunAt - lane.meanMs) * MEAN_WEIGHT;
      if (place.usableUntil > steady()) lane.free.push(place);
      else giveBack(name, lane, [place]);
      lane.askAt = 0;
      lane.wake?.();
      clearTimeout(lane.idle);
      lane.idle = setTimeout(() => letGo(name, lane), IDLE_MS);
      lane.idle.unref();
    };
  };
  const takeFree = (name: string, lane: Lane): Place | undefined => {
    const ended = lane.free.filter(({ usableUntil }) => usableUntil <= steady());
    if (ended.length > 0) {
      lane.free = lane.free.filter(({ usableUntil }) => usableUntil > steady());
      giveBack(name, lane, ended);
    }
    return lane.free.shift();
  };
  return {
    letGo,
    grant,
    takeFree,
    /** Asks once for all that want a place now. */
    ask: async (starts: StartStore, lane: Lane, wait: PlaceWait): Promise<void> => {
      lane.wanted += 1;
      lane.asking ??= ask(starts, lane, wait).finally(() => {
        lane.asking = undefined;
        lane.wanted = 0;
      });
      await lane.asking;
    },
  };
}

/**
 * The places of requests that may be under way at once under one name. A process keeps those that it has while its requests want
 * them, so that one follows another without a statement. One of them waits in its slot; each further one is told when to come.
 */
export function createHostPlaces(options: PlaceOptions) {
  const { now, steady } = options;
  const { letGo, grant, takeFree, ask } = createPlaceStore(options);
  const lanes = new Map<string, Lane>();

  const refuse = (lane: Lane, { places, toError }: PlaceWait): never => {
    const toldAt = Math.max(lane.toldAt, now()) + lane.meanMs / places;
    // Those that come after that are told anew.
    if (toldAt < now() + MOST_TOLD_MS) lane.toldAt = toldAt;
    throw toError(Math.min(toldAt - now(), MOST_TOLD_MS));
  };
  const forgetIdle = (): void => {
    for (const [name, { inUse, free, asking, isWaiting, toldAt }] of lanes)
      if (inUse + free.length === 0 && asking === undefined && !isWaiting && toldAt <= now())
        lanes.delete(name);
  };
  /** Waits until a request of this process ends, or others may have given a place back. */
  const awaitPlace = async (lane: Lane, { until, signal }: PlaceWait, places: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.wake = resolve;
    const askMs = lane.inUse < places ? lane.askAt - steady() : Infinity;
    const ms = Math.max(1, Math.min(until - now(), askMs));
    const ended = new AbortController();
    await Promise.race([
      promise,
      sleep(ms, undefined, { signal: AbortSignal.any([signal, ended.signal]) }),
    ]).finally(() => {
      lane.wake = undefined;
      ended.abort();
    });
  };

  return {
    /** Takes a place. @returns gives it back @throws what `toError` makes when one already waits, or it has waited in vain */
    enter: async (starts: StartStore, wait: PlaceWait): Promise<() => void> => {
      const { name, places, until, signal } = wait;
      const lane = lanes.get(name) ?? openLane();
      lanes.set(name, lane);
      let waits = false;
      try {
        for (;;) {
          signal.throwIfAborted();
          const place = takeFree(name, lane);
          if (place !== undefined) return grant(name, lane, place);
          const rests = now() < lane.restUntil;
          if (rests && lane.inUse === 0) lane.restUntil = now() + REST_MS;
          if (!waits && (lane.isWaiting || rests)) refuse(lane, wait);
          if (lane.asking !== undefined || (lane.inUse < places && steady() >= lane.askAt)) {
            await ask(starts, lane, wait);
            continue;
          }
          if (now() >= until) {
            lane.restUntil = now() + (lane.inUse > 0 ? MOST_REST_MS : REST_MS);
            if (lane.inUse === 0) lane.toldAt = now() + VAIN_MS;
            lane.askAt = 0;
            lane.askAfterMs = FIRST_ASK_MS;
            refuse(lane, wait);
          }
          waits = true;
          lane.isWaiting = true;
          await awaitPlace(lane, wait, places);
        }
      } finally {
        if (waits) lane.isWaiting = false;
        if (lanes.size > 1_000) forgetIdle();
      }
    },
    /** Gives back what no request uses. */
    close: async (): Promise<void> => {
      for (const [name, lane] of lanes) letGo(name, lane);
      await Promise.all(Array.from(lanes.values(), ({ given }) => given));
    },
  };
}
