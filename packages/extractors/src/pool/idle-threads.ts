import type { PoolThread } from './pool-thread.ts';

export interface IdleThreads {
  /** Call it when a thread has started. */
  watch: () => void;
  stop: () => void;
}

/**
 * Ends threads without work. A thread holds about 40 MB and loads in about 150 ms, so an idle process should have none
 * and a busy one should keep all.
 * @param retire removes the thread from `threads` and ends it
 */
export function createIdleThreads({
  threads,
  idleMs,
  retire,
}: {
  threads: ReadonlySet<PoolThread>;
  idleMs: number;
  retire: (thread: PoolThread) => void;
}): IdleThreads {
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    timer = undefined;
    for (const thread of threads) if (thread.idleMs() >= idleMs) retire(thread);
    watch();
  };

  /** One timer for all threads: it looks again when the first of them may have been idle for long enough. */
  const watch = (): void => {
    if (timer !== undefined || threads.size === 0) return;
    const longest = Math.max(...[...threads].map((thread) => thread.idleMs()));
    timer = setTimeout(look, Math.max(1, idleMs - longest)).unref();
  };

  return { watch, stop: () => clearTimeout(timer) };
}
