/** Collects single calls into groups: one statement and one commit instead of many. */
export interface Groups<I, O> {
  /** Resolves with the item's own result, or rejects with the error of its group. */
  call(item: I): Promise<O>;
  /** The number of calls that have not ended. */
  readonly pending: number;
}

export interface GroupOptions<I, O> {
  maxItems: number;
  /** The size of an item, for example in bytes. A group ends before it exceeds `maxSize`, unless one item exceeds it. */
  sizeOf?: (item: I) => number;
  maxSize?: number;
  /** Performs the calls of a group. Returns the results in the order of the items. */
  run: (items: readonly I[]) => Promise<O[]>;
  /** The most groups that run at the same time. Calls that arrive meanwhile are collected, so groups grow with load. */
  maxInFlight: number;
  /**
   * How long a call may wait for company; a group leaves with its first call that waits no longer. Default: twice as long
   * as groups take, when further calls are likely to come meanwhile.
   */
  patienceMs?: ((item: I) => number) | undefined;
  /** Whether one of the items may be the cause. If so, each is tried alone. */
  mayBeOneItem?: (error: unknown) => boolean;
}

interface Call<I, O> {
  item: I;
  leavesAt: number;
  resolve: (result: O) => void;
  reject: (error: unknown) => void;
}

/** The longest wait by the pace. */
const MAX_GATHER_MS = 20;
const GATHER_FACTOR = 2;
/** The weight of the newest value in a moving average. */
const NEWEST = 0.1;

/** How long the next group should wait for further calls. Larger groups cost less, and a single call must not wait. */
function createPace() {
  let runMs = 0;
  let intervalMs = Infinity;
  let calledAt = -Infinity;
  return {
    called: (): void => {
      const now = performance.now();
      // A long pause says nothing about the calls before it.
      const since = Math.min(now - calledAt, 1_000);
      intervalMs = Number.isFinite(intervalMs) ? intervalMs + (since - intervalMs) * NEWEST : since;
      calledAt = now;
    },
    ran: (ms: number): void => {
      runMs += (ms - runMs) * NEWEST;
    },
    gatherMs: (): number => {
      const ms = Math.min(Math.floor(runMs * GATHER_FACTOR), MAX_GATHER_MS);
      return intervalMs < ms ? ms : 0;
    },
  };
}

/** How many of the items, from the first, make a group. */
function countGroup<I>(
  items: readonly I[],
  {
    maxItems,
    sizeOf = () => 0,
    maxSize = Number.POSITIVE_INFINITY,
  }: Pick<GroupOptions<I, unknown>, 'maxItems' | 'sizeOf' | 'maxSize'>,
): number {
  let size = 0;
  for (const [count, item] of items.slice(0, maxItems).entries()) {
    size += sizeOf(item);
    if (count > 0 && size > maxSize) return count;
  }
  return Math.min(items.length, maxItems);
}

/** Calls `leave` once at the earliest of the times by which it is asked to. */
function createDeparture(leave: () => void): { at: () => number | undefined; by: (at: number) => void } {
  let leaving: { at: number; cancel: () => void } | undefined;
  const go = (): void => {
    leaving = undefined;
    leave();
  };
  return {
    at: () => leaving?.at,
    by: (at) => {
      if (leaving !== undefined && leaving.at <= at) return;
      leaving?.cancel();
      const ms = at - performance.now();
      if (ms > 0) {
        const timer = setTimeout(go, ms);
        leaving = { at, cancel: () => clearTimeout(timer) };
      } else {
        const turn = setImmediate(go);
        leaving = { at, cancel: () => clearImmediate(turn) };
      }
    },
  };
}

/** A group starts at the end of the event loop turn, so a single call doesn't wait. Under load it waits for others. */
export function createGroups<I, O>(options: GroupOptions<I, O>): Groups<I, O> {
  const { run, maxInFlight, maxItems, patienceMs } = options;
  const gathered: Call<I, O>[] = [];
  let inFlight = 0;
  let pending = 0;
  const pace = createPace();

  const settle = async (calls: readonly Call<I, O>[]): Promise<void> => {
    try {
      const results = await run(calls.map(({ item }) => item));
      for (const [index, call] of calls.entries()) {
        const result = results[index];
        if (result === undefined) call.reject(new Error('a group has no result for one of its items'));
        else call.resolve(result);
      }
    } catch (error) {
      if (calls.length > 1 && options.mayBeOneItem?.(error) === true) {
        for (const call of calls) await settle([call]);
        return;
      }
      for (const call of calls) call.reject(error);
    }
  };

  /** When the next group leaves, on performance.now()'s clock. */
  const leaveAt = (): number => {
    if (gathered.length >= maxItems) return 0;
    if (patienceMs !== undefined) return Math.min(...gathered.map(({ leavesAt }) => leavesAt));
    return departure.at() ?? performance.now() + pace.gatherMs();
  };
  const leave = (): void => {
    while (gathered.length > 0 && inFlight < maxInFlight) {
      inFlight += 1;
      const startedAt = performance.now();
      const count = countGroup(
        gathered.map(({ item }) => item),
        options,
      );
      void settle(gathered.splice(0, count)).finally(() => {
        inFlight -= 1;
        pace.ran(performance.now() - startedAt);
        schedule();
      });
    }
  };

  const departure = createDeparture(leave);
  const schedule = (): void => {
    if (gathered.length > 0 && inFlight < maxInFlight) departure.by(leaveAt());
  };

  return {
    get pending() {
      return pending;
    },
    call: (item) => {
      const { promise, resolve, reject } = Promise.withResolvers<O>();
      pending += 1;
      pace.called();
      const settled =
        <T>(settleWith: (value: T) => void) =>
        (value: T): void => {
          pending -= 1;
          settleWith(value);
        };
      const leavesAt = performance.now() + (patienceMs?.(item) ?? 0);
      gathered.push({ item, leavesAt, resolve: settled(resolve), reject: settled(reject) });
      schedule();
      return promise;
    },
  };
}
