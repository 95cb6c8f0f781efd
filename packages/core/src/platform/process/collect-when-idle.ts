import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 15_000;
/** The share of the time in which the event loop of an idle process works. */
const IDLE_SHARE = 0.1;
/** A collection takes 0.1 to 0.3 s, so it must be worth it: the heap must hold more free or dead memory than this. */
const WORTH_BYTES = 16 * 1024 ** 2;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Collects garbage when this process has become idle, and gives the free memory back to the system. V8 collects when a
 * process allocates, so an idle one would keep what its start or its last work left: 30 to 60 MB.
 */
export function collectWhenIdle(): void {
  let loop = performance.eventLoopUtilization();
  /** What the heap took after the last collection. */
  let heapBytes = 0;
  let collect: Collect | undefined;
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, loop);
    loop = now;
    if (utilization > IDLE_SHARE) return;
    if (process.memoryUsage().heapTotal - heapBytes < WORTH_BYTES) return;
    if (collect === undefined) {
      // V8's own collector, which it gives only to scripts that are created after the flag was set.
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as Collect;
    }
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    heapBytes = process.memoryUsage().heapTotal;
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}
