/** Limits the running tasks of all chunks in one process. */
export interface SlotGate {
  /** True when the caller may begin a task; otherwise `wake` is called once when it is worth asking again: who came first. */
  tryTake(wake: () => void): boolean;
  release(): void;
  readonly capacity: number;
}

export function createSlotGate(capacity: number): SlotGate {
  let used = 0;
  const waiting = new Set<() => void>();
  return {
    capacity,
    tryTake: (wake) => {
      if (used >= capacity) {
        waiting.add(wake);
        return false;
      }
      used += 1;
      return true;
    },
    release: () => {
      used -= 1;
      // Who is woken may not need the slot any more.
      while (used < capacity) {
        const [wake] = waiting;
        if (wake === undefined) return;
        waiting.delete(wake);
        wake();
      }
    },
  };
}
