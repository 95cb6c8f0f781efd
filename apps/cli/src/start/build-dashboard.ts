import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from './supervisor/log-sink.ts';

const script = join(import.meta.dirname, '..', '..', '..', 'dashboard', 'build.ts');
/** The last lines of a failed build that are logged, and their most characters. */
const SHOWN_LINES = 12;
const SHOWN_LENGTH = 4_000;

/**
 * Builds the dashboard when its sources have changed, beside the start of Postgres. The service runs without a
 * dashboard too, so a failed build is a warning.
 */
export function buildDashboard(log: LogSink): { done: Promise<void>; stop: () => void } {
  if (!existsSync(script)) return { done: Promise.resolve(), stop: () => undefined };
  let stop = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    const child = execFile(process.execPath, [script], { maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error !== null && !child.killed) {
        const output = `${stdout}${stderr}`.trim() || error.message;
        const reason = output.split('\n').slice(-SHOWN_LINES).join('\n').slice(-SHOWN_LENGTH);
        log.note('warn', 'the dashboard could not be built', { reason });
      }
      resolve();
    });
    stop = () => void child.kill();
  });
  return { done, stop };
}
