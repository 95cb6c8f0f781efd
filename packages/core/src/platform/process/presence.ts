import type { ProcessKind } from '@gleaner/contracts';
import { hostname } from 'node:os';
import { ENGINE, errorCodeOf, PG_ERRORS, type Database } from '@gleaner/db';
import type { Logger } from '../log/log.ts';
import { exitOnError } from './exit-on-error.ts';
import { ulid } from 'ulid';
import { startPeriodicTask } from './periodic-task.ts';
import { readVersion } from './version.ts';

/** The requests of an API process that died end soon, so API processes report often. */
const EVERY_MS: Readonly<Record<ProcessKind, number>> = { api: 2_000, worker: 60_000, scheduler: 60_000 };

/**
 * Reports regularly that this process runs and calls its version's functions, so that nobody drops them. Ends the
 * process if they are not in the database: then it was not migrated, or this process was stopped for so long that they
 * were dropped.
 * @returns its identifier in `gleaner.processes`, and how to stop
 */
export async function reportPresence(db: Database, kind: ProcessKind, log: Logger) {
  const id = ulid().toLowerCase();
  const { version, commit } = readVersion();
  const name = commit === null ? version : `${version} (${commit.slice(0, 12)})`;
  const report = async (): Promise<void> => {
    await db.sql`
      INSERT INTO gleaner.processes (id, kind, version, engine, host, pid)
      VALUES (${id}, ${kind}, ${name}, ${ENGINE}, ${hostname()}, ${process.pid})
      ON CONFLICT (id) DO UPDATE SET seen_at = now()`.catch((error: unknown) => {
      if (errorCodeOf(error) !== PG_ERRORS.foreignKeyViolation) throw error;
      exitOnError(
        log,
        "the database lacks this version's functions; run: gleaner migrate",
      )(new Error(`${ENGINE} is not in the database`));
    });
  };
  await report().catch(exitOnError(log, 'Postgres does not answer'));
  const task = startPeriodicTask({ name: 'presence', everyMs: EVERY_MS[kind], log }, report);
  return {
    id,
    stop: async (): Promise<void> => {
      await task.stop();
      await db.sql`DELETE FROM gleaner.processes WHERE id = ${id} OR seen_at < now() - interval '1 day'`;
    },
  };
}
