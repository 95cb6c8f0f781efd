/** Runs work, at most so much at the same time; the rest waits in order. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** @param limit how much runs at the same time */
export function createTurns(limit: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Runs work of a key, for example an account, in turn with other work of that key. */
export type KeyedTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** @param limit how much of one key runs at the same time */
export function createKeyedTurns(limit: number): KeyedTurns {
  const keys = new Map<string, { turns: Turns; pending: number }>();
  return async (key, work) => {
    const entry = keys.get(key) ?? { turns: createTurns(limit), pending: 0 };
    keys.set(key, entry);
    entry.pending += 1;
    try {
      return await entry.turns(work);
    } finally {
      entry.pending -= 1;
      if (entry.pending === 0) keys.delete(key);
    }
  };
}
