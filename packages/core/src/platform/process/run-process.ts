import {
  isNotMigrated,
  migrate,
  type MigrateOptions,
  type Database,
  ENGINE,
  errorCodeOf,
  PG_ERRORS,
} from '@gleaner/db';
import type { Logger } from '../log/log.ts';
import { migratePostgresQueue } from '@gleaner/queue';
import { withTimeout, type ProcessKind } from '@gleaner/contracts';
import { isLostConnection } from '../groups/database-errors.ts';
import { watchMainLoop } from './watchdog.ts';
import { collectWhenIdle } from './collect-when-idle.ts';
import { ConfigError, loadConfig, type Config } from '../config/load-config.ts';
import { isSecretKeyOf } from '../secrets/seal.ts';
import { hostname } from 'node:os';
import { ulid } from 'ulid';
import { startPeriodicTask } from './periodic-task.ts';
import { readVersion } from './version.ts';

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

export interface DatabaseUrls {
  databaseUrl: string;
  /** The same database past a pooler; equal to `databaseUrl` when there is none. */
  directDatabaseUrl: string;
}

/**
 * Brings tables, functions and BullMQ's own tables to this version. Safe when several processes call it at once.
 * @param database a URL without a pooler, or both URLs
 * @param options how long to wait for processes of an earlier version, and what to call then
 * @throws EarlierProcessesError when such processes still run
 */
export async function prepareDatabase(
  database: string | DatabaseUrls,
  options: Partial<Pick<MigrateOptions, 'waitMs' | 'onWait'>> = {},
): Promise<void> {
  const { databaseUrl, directDatabaseUrl } =
    typeof database === 'string' ? { databaseUrl: database, directDatabaseUrl: database } : database;
  await migrate(directDatabaseUrl, { ...options, isPooled: databaseUrl !== directDatabaseUrl });
  await migratePostgresQueue(directDatabaseUrl);
}

/** Loads the configuration of a process, which needs a database. Prints faults to standard error and exits. */
export function loadProcessConfig(): Config & DatabaseUrls {
  try {
    const config = loadConfig(process.env);
    const { databaseUrl, directDatabaseUrl = databaseUrl } = config;
    if (databaseUrl === undefined || directDatabaseUrl === undefined)
      throw new ConfigError(['DATABASE_URL: must be set (`npm start` sets it for the embedded Postgres)']);
    return { ...config, databaseUrl, directDatabaseUrl };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** Ends the process if `GLEANER_SECRET_KEY` can't open the database's secrets, before it stores any with the wrong key. */
export async function demandSecretKey(
  db: Database,
  { secretKey }: Pick<Config, 'secretKey'>,
  log: Logger,
): Promise<void> {
  if (secretKey === undefined) {
    log.warn(
      'GLEANER_SECRET_KEY is not set: webhooks, connection URLs, and headers and cookies of work can be neither stored nor read',
    );
    return;
  }
  if (await isSecretKeyOf(db, secretKey).catch(exitOnError(log, 'Postgres does not answer'))) return;
  exitOnError(
    log,
    'GLEANER_SECRET_KEY cannot decrypt the secrets of this database',
  )(new Error('the database was first used with another key; see docs/operate/deploy.md'));
}

/** Stops a started process: releases its resources in order. */
export type Stop = () => Promise<void>;

const STOP_LIMIT_MS = 8_000;

/**
 * Stops the process cleanly on SIGTERM and SIGINT. After an uncaught exception it exits with an error, because a restart
 * is safer than an unknown state. A process that hangs is killed. It also collects garbage when the process is idle. When the supervisor ends, its parent-watch.ts sends SIGTERM.
 */
export function superviseProcess(log: Logger, stop: Stop): void {
  collectWhenIdle();
  watchMainLoop({ name: String(log.bindings()['process']) });
  let isStopping = false;
  const end = (reason: string, code: number): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    const stopped = stop()
      .catch((error: unknown) => log.error({ err: error }, 'stopping failed'))
      .then(() => code);
    const late = (): number => {
      log.error({}, 'did not stop in time');
      return 1;
    };
    void withTimeout(stopped, STOP_LIMIT_MS, late).then((exitCode) => process.exit(exitCode));
  };
  // A service manager signals the supervisor and this process, which the supervisor then stops as well. A person who
  // presses Ctrl-C a second time doesn't want to wait.
  process.on('SIGTERM', () => end('SIGTERM', 0));
  process.once('SIGINT', () => end('SIGINT', 0));
  const endAfter = (what: string) => (error: unknown) => {
    if (isLostConnection(error)) return log.warn({ err: error }, 'a connection was lost');
    log.fatal({ err: error }, what);
    return end(what, 1);
  };
  process.on('uncaughtException', endAfter('uncaught exception'));
  process.on('unhandledRejection', endAfter('unhandled rejection'));
}

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
