import type { Logger } from '../log/log.ts';

/** Work that is done again and again; any number of processes may do it at once. */
export interface PeriodicTask {
  /** Waits for the round under way. */
  stop(): Promise<void>;
}

/** Runs a round, waits, runs the next: rounds never overlap, and a failed one is logged and tried again. */
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
      log.warn({ err: error, duty: name }, 'a duty failed; trying again');
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
