/** Counts interactive requests that this process runs. */
export interface InteractiveLoad {
  /** @returns a function that ends the request */
  begin(): () => void;
  /** The most requests at once in the last one to two seconds. */
  recent(): number;
}

const WINDOW_MS = 1_000;

/** @param now milliseconds on a clock that never steps back */
export function createInteractiveLoad(now: () => number = () => performance.now()): InteractiveLoad {
  let running = 0;
  let windowAt = now();
  let most = 0;
  let mostBefore = 0;
  const turn = (): void => {
    const passed = now() - windowAt;
    if (passed < WINDOW_MS) return;
    mostBefore = passed < 2 * WINDOW_MS ? most : running;
    most = running;
    windowAt = now();
  };
  return {
    begin: () => {
      turn();
      running += 1;
      most = Math.max(most, running);
      return () => {
        turn();
        running -= 1;
      };
    },
    recent: () => {
      turn();
      return Math.max(most, mostBefore);
    },
  };
}
