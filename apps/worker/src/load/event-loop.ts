import { performance } from 'node:perf_hooks';

/** How often the work of batches is fitted to the interactive requests beside it. */
const WATCH_MS = 100;

/**
 * Tells ten times a second which part of the time the event loop was busy.
 * @returns a function that ends it
 */
export function watchEventLoop(tell: (utilization: number) => void): () => void {
  let before = performance.eventLoopUtilization();
  const watching = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    tell(utilization);
  }, WATCH_MS);
  return () => clearInterval(watching);
}
