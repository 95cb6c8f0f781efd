/** Limits the running tasks of all chunks in one process. */
export interface SlotGate {
  /**
   * True when the caller may begin a task; otherwise `wake` is called once when it is worth asking again. The lowest
   * `rank` that waits is woken first, and of one rank the one that has waited longest.
   */
  tryTake(wake: () => void, rank: number): boolean;
  release(): void;
  readonly capacity: number;
}

export function createSlotGate(capacity: number): SlotGate {
  let used = 0;
  const waiting = new Map<() => void, number>();
  /** The caller for the next free slot. There are as many as chunks in this process, so they are not kept sorted. */
  const takeNext = (): (() => void) | undefined => {
    let next: (() => void) | undefined;
    let lowest = Infinity;
    for (const [wake, rank] of waiting) {
      if (rank >= lowest) continue;
      lowest = rank;
      next = wake;
    }
    if (next !== undefined) waiting.delete(next);
    return next;
  };
  return {
    capacity,
    tryTake: (wake, rank) => {
      if (used >= capacity) {
        waiting.set(wake, rank);
        return false;
      }
      used += 1;
      return true;
    },
    release: () => {
      used -= 1;
      // Who is woken may not need the slot any more.
      while (used < capacity) {
        const wake = takeNext();
        if (wake === undefined) return;
        wake();
      }
    },
  };
}
