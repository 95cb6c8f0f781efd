/** Collects single calls into groups: one statement and one commit instead of many. */
export interface Groups<I, O> {
  /** Resolves with the item's own result, or rejects with the error of its group. */
  call(item: I): Promise<O>;
  /** The number of calls that have not ended. */
  readonly pending: number;
}

export interface GroupOptions<I, O> {
  /** Performs the calls of a group. Returns the results in the order of the items. */
  run: (items: readonly I[]) => Promise<O[]>;
  /** The most groups that run at the same time. Calls that arrive meanwhile are collected, so groups grow with load. */
  maxInFlight: number;
  maxItems: number;
  /** The size of an item, for example in bytes. A group ends before it exceeds `maxSize`, unless one item exceeds it. */
  sizeOf?: (item: I) => number;
  maxSize?: number;
  /** Whether one of the items may be the cause. If so, each is tried alone. */
  mayBeOneItem?: (error: unknown) => boolean;
}

interface Call<I, O> {
  item: I;
  resolve: (result: O) => void;
  reject: (error: unknown) => void;
}

/** A group starts at the end of the event loop turn, so a single call doesn't wait. */
export function createGroups<I, O>(options: GroupOptions<I, O>): Groups<I, O> {
  const { run, maxInFlight, maxItems, sizeOf = () => 0, maxSize = Number.POSITIVE_INFINITY } = options;
  const gathered: Call<I, O>[] = [];
  let inFlight = 0;
  let pending = 0;
  let isScheduled = false;

  const takeGroup = (): Call<I, O>[] => {
    let size = 0;
    let count = 0;
    for (const { item } of gathered) {
      size += sizeOf(item);
      if (count === maxItems || (count > 0 && size > maxSize)) break;
      count += 1;
    }
    return gathered.splice(0, count);
  };

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

  const leave = (): void => {
    isScheduled = false;
    while (gathered.length > 0 && inFlight < maxInFlight) {
      inFlight += 1;
      void settle(takeGroup()).finally(() => {
        inFlight -= 1;
        schedule();
      });
    }
  };

  const schedule = (): void => {
    if (isScheduled || gathered.length === 0 || inFlight >= maxInFlight) return;
    isScheduled = true;
    setImmediate(leave);
  };

  return {
    get pending() {
      return pending;
    },
    call: (item) => {
      const { promise, resolve, reject } = Promise.withResolvers<O>();
      pending += 1;
      const settled =
        <T>(settleWith: (value: T) => void) =>
        (value: T): void => {
          pending -= 1;
          settleWith(value);
        };
      gathered.push({ item, resolve: settled(resolve), reject: settled(reject) });
      schedule();
      return promise;
    },
  };
}
