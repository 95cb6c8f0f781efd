import type { Logger } from '../log/log.ts';

/** Work that repeats. */
export interface PeriodicTask {
  /** Stops after the current round. */
  stop(): Promise<void>;
}

/** Runs a round, waits, runs the next: rounds never overlap, and a failed round is logged. */
export function startPeriodicTask(
  options: { name: string; everyMs: number; log: Logger; onFailure?: () => void },
  round: () => Promise<unknown>,
): PeriodicTask {
  const { name, everyMs, log, onFailure } = options;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await round();
    } catch (error) {
      onFailure?.();
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
