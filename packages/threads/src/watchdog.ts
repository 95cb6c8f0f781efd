import type { Worker } from 'node:worker_threads';

/** The interval between looks at a running task. A task can add 40 to 90 MB in this time. */
const WATCH_MS = 50;
/** A thread that gives no sign of life, or gets no CPU, is killed after so many times the limit. */
const MOST_WAITING = 4;
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
  /** Limit of the thread's CPU time: a page does not fail because other work keeps the machine busy. */
  timeoutMs: number;
  maxHeapMb: number;
  /** Called when the task exceeds its time or the heap. */
  kill: (cause: KilledError) => void;
}

interface Watched {
  startedAt: number;
  /** The thread's CPU time at the first look. */
  cpuMs?: number;
}

/** CPU time of the thread, and its heap; undefined when it has ended. */
async function look(worker: Worker): Promise<{ cpuMs: number; heapBytes: number } | undefined> {
  try {
    const [{ user, system }, heap] = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()]);
    return { cpuMs: (user + system) / 1_000, heapBytes: heap.used_heap_size };
  } catch {
    return undefined;
  }
}

/** Watches the time and the heap of the task that a thread runs. */
export function createWatchdog(options: WatchdogOptions) {
  const { worker, timeoutMs, maxHeapMb, kill } = options;
  let watched: Watched | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;

  /** The thread answers while it runs a task, but not during a garbage collection. */
  const lookAt = async (task: Watched): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    const seen = await look(worker);
    isAsked = false;
    if (watched !== task || seen === undefined) return;
    task.cpuMs ??= seen.cpuMs;
    if (seen.heapBytes > maxHeapMb * MEGABYTE) kill(outOfMemory(options));
    else if (seen.cpuMs - task.cpuMs >= timeoutMs) kill(outOfTime(options));
  };

  /** One timer checks the running task periodically, which is cheaper than one timer per task. */
  const watch = (): void => {
    timer = undefined;
    if (watched === undefined) return;
    const ranMs = performance.now() - watched.startedAt;
    if (ranMs >= MOST_WAITING * timeoutMs) {
      kill(outOfTime(options));
      return;
    }
    if (ranMs >= WATCH_MS) void lookAt(watched);
    timer = setTimeout(watch, Math.min(timeoutMs, WATCH_MS)).unref();
  };

  return {
    /** A task begins to run; the one before it has ended. */
    begin(): void {
      watched = { startedAt: performance.now() };
      timer ??= setTimeout(watch, Math.min(timeoutMs, WATCH_MS)).unref();
    },
    /** No task runs any more. */
    end(): void {
      watched = undefined;
    },
  };
}
