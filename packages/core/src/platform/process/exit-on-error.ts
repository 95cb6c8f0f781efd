import type { Logger } from '../log/log.ts';

/** https://www.postgresql.org/docs/18/errcodes-appendix.html: an absent schema, an absent table. */
const NOT_MIGRATED = new Set(['3F000', '42P01']);

function isNotMigrated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NOT_MIGRATED.has(String(error.code));
}

/**
 * For what a process can't start without: says in one line what is away, and ends. Whoever started it tries again.
 * @param what `the queue (Redis) does not answer`
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
