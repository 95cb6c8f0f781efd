import { withTimeout } from '@gleaner/contracts';
import { isLostConnection } from '../groups/database-errors.ts';
import type { Logger } from '../log/log.ts';
import { watchMainLoop } from './watchdog.ts';
import { collectWhenIdle } from './collect-when-idle.ts';
import { ConfigError, loadConfig, type Config } from '../config/load-config.ts';
import type { DatabaseUrls } from './prepare-database.ts';
import type { Database } from '@gleaner/db';
import { isSecretKeyOf } from '../secrets/seal.ts';
import { exitOnError } from './exit-on-error.ts';

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
  process.once('SIGTERM', () => end('SIGTERM', 0));
  process.once('SIGINT', () => end('SIGINT', 0));
  const endAfter = (what: string) => (error: unknown) => {
    if (isLostConnection(error)) return log.warn({ err: error }, 'a connection was lost');
    log.fatal({ err: error }, what);
    return end(what, 1);
  };
  process.on('uncaughtException', endAfter('uncaught exception'));
  process.on('unhandledRejection', endAfter('unhandled rejection'));
}
