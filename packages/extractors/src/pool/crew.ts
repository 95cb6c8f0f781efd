import type { startThread, PoolThread, Task, ThreadOptions } from './pool-thread.ts';

/** A page of this size keeps its thread busy for so long that no other task should wait for it. */
const LARGE_BYTES = 1024 ** 2;

export interface CrewOptions extends ThreadOptions {
  /** The most threads at once. */
  size: number;
  /** The most tasks per thread. */
  pipeline: number;
  idleMs: number;
  start: typeof startThread;
}

/** The threads of a pool. */
export interface Crew {
  readonly threads: ReadonlySet<PoolThread>;
  /** Threads without a task, and those that are not started. */
  free: () => number;
  /** Threads whose running task is the owner's. */
  busyOf: (owner: string | undefined) => number;
  /**
   * The thread to give a task to: one without a task, started if need be, else the one with the fewest, if it may hold more.
   * Undefined when the task has to wait, or when the machine can't start a thread now (see `fault`).
   */
  threadFor: (task: Task) => PoolThread | undefined;
  /** Why the last thread could not be started. */
  fault: () => unknown;
  close: () => Promise<void>;
}

/** A task that is large or has killed a thread gets a thread of its own. */
function isAlone({ deaths, bytes }: Task): boolean {
  return deaths > 0 || bytes >= LARGE_BYTES;
}

/** Starts threads when there is work and ends those that have had none for long. */
export function createCrew({ size, pipeline, idleMs, start, ...options }: CrewOptions): Crew {
  const threads = new Set<PoolThread>();
  let fault: unknown;

  // A thread holds about 40 MB and loads in about 150 ms, so an idle process should have none and a busy one keep all.
  const idleTimer = setInterval(() => {
    for (const thread of threads) {
      if (thread.idleMs() < idleMs) continue;
      threads.delete(thread);
      void thread.terminate();
    }
  }, idleMs / 2).unref();

  const startOne = (): PoolThread | undefined => {
    try {
      const thread: PoolThread = start({
        ...options,
        onDeath(...death) {
          threads.delete(thread);
          options.onDeath(...death);
        },
      });
      threads.add(thread);
      return thread;
    } catch (error) {
      fault = error;
      return undefined;
    }
  };

  const busy = (): PoolThread[] => [...threads].filter(({ tasks }) => tasks.length > 0);

  return {
    threads,
    free: () => size - busy().length,
    busyOf: (owner) => busy().filter(({ tasks }) => tasks[0]?.owner === owner).length,
    threadFor(task) {
      let freest: PoolThread | undefined;
      for (const thread of threads) {
        if (freest === undefined || thread.tasks.length < freest.tasks.length) freest = thread;
      }
      if (freest?.tasks.length === 0) return freest;
      const started = threads.size < size ? startOne() : undefined;
      if (started !== undefined || freest === undefined) return started;
      const isFull = freest.tasks.length >= pipeline || isAlone(task) || freest.tasks.some(isAlone);
      return isFull ? undefined : freest;
    },
    fault: () => fault,
    async close() {
      clearInterval(idleTimer);
      await Promise.all([...threads].map((thread) => thread.terminate()));
      threads.clear();
    },
  };
}
