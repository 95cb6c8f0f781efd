import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { PoolOptions } from '@gleaner/threads';

const LEAST_HEAP_MB = 512;
/** With a lower limit, V8 grows a heap in smaller steps. */
const GENEROUS_HEAP_MB = 2_048;
/** With less memory than this, memory matters more than the CPU that larger heaps save. */
const GENEROUS_BYTES = 8 * 1024 ** 3;
/** The share of the machine's or container's memory that the heaps of all threads may use together. */
const MEMORY_SHARE = 0.5;

/**
 * Lets every heap of this process grow to four times its size after a full collection, if there is enough memory. By
 * default V8 allows 8 MB of growth, because pages lie outside the heap, and collects the main thread's 45 MB for every
 * 10 MB of pages: 0.7 ms of CPU per page of 100 KB.
 * @param memoryBytes the memory limit of this process
 */
export function allowHeapGrowth(memoryBytes: number): void {
  if (memoryBytes >= GENEROUS_BYTES) setFlagsFromString('--heap-growing-percent=300');
}

/**
 * Options of the thread pool for batches: one low-priority thread per core, with pages queued ahead, so that a thread
 * never waits for the main thread.
 * @param configured number of threads; default: cores
 * @param memoryBytes the memory limit of this process
 */
export function batchPoolOptions(configured: number | undefined, memoryBytes: number): PoolOptions {
  const threads = configured ?? availableParallelism();
  const shareMb = Math.floor((memoryBytes * MEMORY_SHARE) / threads / 1024 ** 2);
  return {
    threads,
    pipeline: 8,
    isBackground: true,
    maxHeapMb: Math.max(LEAST_HEAP_MB, Math.min(GENEROUS_HEAP_MB, shareMb)),
  };
}
