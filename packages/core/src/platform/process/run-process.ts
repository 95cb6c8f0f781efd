import { withTimeout } from '@gleaner/contracts';
import { isLostConnection } from '../groups/database-errors.ts';
import type { Logger } from '../log/log.ts';
import { collectWhenIdle } from './collect-when-idle.ts';
import { watchMainLoop } from './watchdog.ts';

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
  process.on('uncaughtException', (error) => {
    if (isLostConnection(error)) {
      log.warn({ err: error }, 'a connection was lost');
      return;
    }
    log.fatal({ err: error }, 'uncaught exception');
    end('uncaught exception', 1);
  });
  process.on('unhandledRejection', (error) => {
    if (isLostConnection(error)) {
      log.warn({ err: error }, 'a connection was lost');
      return;
    }
    log.fatal({ err: error }, 'unhandled rejection');
    end('unhandled rejection', 1);
  });
}
