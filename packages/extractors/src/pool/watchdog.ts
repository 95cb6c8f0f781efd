import type { Worker } from 'node:worker_threads';

/** The interval between checks of a running task's heap. A task can add 40 to 90 MB in this time. */
const HEAP_WATCH_MS = 50;
const MEGABYTE = 1024 ** 2;

/** The task ended with its thread: it took too long or needed too much memory, or the thread failed. */
export class KilledError extends Error {
  override name = 'KilledError';
  readonly by: 'time' | 'memory' | 'fault';
  constructor(by: KilledError['by'], message: string) {
    super(message);
    this.by = by;
  }
}

export function outOfMemory({ maxHeapMb }: { maxHeapMb: number }): KilledError {
  const detail = `extraction needed more than ${maxHeapMb} MB of memory and was stopped`;
  return new KilledError('memory', detail);
}

function outOfTime({ timeoutMs }: { timeoutMs: number }): KilledError {
  const seconds = (timeoutMs / 1000).toLocaleString('en');
  return new KilledError('time', `extraction took longer than ${seconds} s and was stopped`);
}

interface WatchdogOptions {
  worker: Worker;
  timeoutMs: number;
  maxHeapMb: number;
  /** Called when the task exceeds its time or the heap. */
  kill: (cause: KilledError) => void;
}

export interface Watchdog {
  /** A task begins to run; the one before it has ended. */
  begin: () => void;
  /** No task runs any more. */
  end: () => void;
}

/** Watches the time and the heap of the task that a thread runs. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { worker, timeoutMs, maxHeapMb, kill } = options;
  let startedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;

  /** The thread answers while it runs a task, but not during a garbage collection. */
  const watchHeap = async (): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    const watched = startedAt;
    // The call fails only when the thread has ended.
    const heap = await worker.getHeapStatistics().catch(() => undefined);
    isAsked = false;
    if (startedAt !== watched || heap === undefined) return;
    if (heap.used_heap_size > maxHeapMb * MEGABYTE) kill(outOfMemory(options));
  };

  /** One timer checks the running task periodically, which is cheaper than one timer per task. */
  const watch = (): void => {
    timer = undefined;
    if (startedAt === undefined) return;
    const ranMs = performance.now() - startedAt;
    if (ranMs >= timeoutMs) {
      kill(outOfTime(options));
      return;
    }
    if (ranMs >= HEAP_WATCH_MS) void watchHeap();
    timer = setTimeout(watch, Math.min(timeoutMs - ranMs, HEAP_WATCH_MS)).unref();
  };

  return {
    begin() {
      startedAt = performance.now();
      timer ??= setTimeout(watch, Math.min(timeoutMs, HEAP_WATCH_MS)).unref();
    },
    end() {
      startedAt = undefined;
    },
  };
}
