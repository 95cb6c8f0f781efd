import type { Logger } from '../log/log.ts';

/** Work that repeats. Any number of processes may run it at the same time. */
export interface PeriodicTask {
  /** Stops after the current round. */
  stop(): Promise<void>;
}

/** Runs a round, waits, runs the next: rounds never overlap, and a failed round is logged. */
export function startPeriodicTask(
  options: { name: string; everyMs: number; log: Logger },
  round: () => Promise<unknown>,
): PeriodicTask {
  const { name, everyMs, log } = options;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await round();
    } catch (error) {
      log.warn({ err: error, task: name }, 'a periodic task failed; retrying');
    }
    if (!isStopped) timer = setTimeout(start, everyMs);
  };
  const start = (): void => {
    running = run();
  };
  start();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
