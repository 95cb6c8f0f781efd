import type { Logger } from '../log.ts';

/**
 * For what a process can't start without: says in one line what is away, and ends. Whoever started it tries again.
 * @param what `the queue (Redis) does not answer`
 */
export const orExit =
  (log: Logger, what: string) =>
  (error: unknown): never => {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    log.fatal({ reason }, what);
    process.exit(1);
  };
