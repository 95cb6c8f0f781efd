import { isNotMigrated } from '@gleaner/db';
import type { Logger } from '../log/log.ts';

/**
 * Logs in one line why a process can't start, and exits. The supervisor or container restarts it.
 * @param what the missing dependency, such as `the queue does not respond`
 */
export function exitOnError(log: Logger, what: string) {
  return (error: unknown): never => {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    log.fatal(
      { reason },
      isNotMigrated(error) ? 'the database has no tables of Gleaner; run: gleaner migrate' : what,
    );
    process.exit(1);
  };
}
