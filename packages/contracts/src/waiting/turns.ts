/**
 * Waits for work, but no longer than `ms`. The work continues afterwards; its late result or error is ignored.
 * @param late called when the time is over: gives the result instead, or throws
 */
export async function withTimeout<T, L>(work: PromiseLike<T>, ms: number, late: () => L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<'over'>((resolve) => {
    timer = setTimeout(resolve, ms, 'over');
  });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), over]);
    return first === 'over' ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
}

/** Runs work, at most so much at the same time; the rest waits in order, and leaves when its signal is aborted. */
export type Turns = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

function waitIn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(begin);
      reject(signal?.reason as Error);
    };
    const begin = (): void => {
      signal?.removeEventListener('abort', leave);
      waiting.delete(begin);
      resolve();
    };
    waiting.add(begin);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** @param limit how much runs at the same time */
export function createTurns(limit: number): Turns {
  const waiting = new Set<() => void>();
  let running = 0;
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (running < limit) running += 1;
    else await waitIn(waiting, signal);
    try {
      return await work();
    } finally {
      // The next one replaces this one, so `running` stays the same.
      const [next] = waiting;
      if (next) next();
      else running -= 1;
    }
  };
}

/** Runs work of a key, for example an account, in turn with other work of that key. */
export type KeyedTurns = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** @param limit how much of one key runs at the same time */
export function createKeyedTurns(limit: number): KeyedTurns {
  const keys = new Map<string, { turns: Turns; pending: number }>();
  return async (key, work, signal) => {
    const entry = keys.get(key) ?? { turns: createTurns(limit), pending: 0 };
    keys.set(key, entry);
    entry.pending += 1;
    try {
      return await entry.turns(work, signal);
    } finally {
      entry.pending -= 1;
      if (entry.pending === 0) keys.delete(key);
    }
  };
}
