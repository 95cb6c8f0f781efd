/** How long a state that was read serves further watchers of the same run. */
const FRESH_MS = 400;

/** Reads states of runs once for all streams of progress in a process. */
export interface RunWatches {
  /** Reads a run's state, once for all that ask for it at about the same time. An id has one kind of state. */
  read<T>(runId: string, read: () => Promise<T>): Promise<T>;
}

export function createRunWatches(): RunWatches {
  const states = new Map<string, Promise<unknown>>();
  return {
    read: <T>(runId: string, read: () => Promise<T>) => {
      const known = states.get(runId);
      // The same id was read by the same kind of reader.
      if (known) return known as Promise<T>;
      const state = read();
      states.set(runId, state);
      setTimeout(() => states.delete(runId), FRESH_MS).unref();
      return state;
    },
  };
}
