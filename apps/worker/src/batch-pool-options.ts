import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { PoolOptions } from '@gleaner/extractors/pool';

/** A copy would be garbage outside of V8's heap, for which it collects all of the main thread's. */
const MOVE_BYTES = 32 * 1024;

const LEAST_HEAP_MB = 512;
/** Up to about a gigabyte V8 grows a heap in smaller steps. */
const GENEROUS_HEAP_MB = 2_048;
/** Below this, memory is worth more than the CPU that it saves. */
const GENEROUS_BYTES = 8 * 1024 ** 3;
/** What the heaps of all threads together may take of the machine's or the container's memory. */
const MEMORY_SHARE = 0.5;

/**
 * Lets every heap of this process grow to four times what a full collection left before the next one, where there is
 * memory for it. By itself V8 takes pages, which lie outside of the heap, for slow growth, allows 8 MB, and collects all
 * of the main thread's 45 MB for every 10 MB of pages: 0.7 ms of CPU per page of 100 KB.
 * @param memoryBytes what this process may use
 */
export function allowHeapGrowth(memoryBytes: number): void {
  if (memoryBytes >= GENEROUS_BYTES) setFlagsFromString('--heap-growing-percent=300');
}

/**
 * Threads for the pages of batches: as many as there are cores, since they give way to everything else, with pages
 * queued ahead, so that a thread never waits for the process that feeds it.
 * @param configured number of threads; default: cores
 * @param memoryBytes what this process may use
 */
export function batchPoolOptions(configured: number | undefined, memoryBytes: number): PoolOptions {
  const threads = configured ?? availableParallelism();
  const shareMb = Math.floor((memoryBytes * MEMORY_SHARE) / threads / 1024 ** 2);
  return {
    threads,
    pipeline: 8,
    isBackground: true,
    moveBytes: MOVE_BYTES,
    maxHeapMb: Math.max(LEAST_HEAP_MB, Math.min(GENEROUS_HEAP_MB, shareMb)),
  };
}
