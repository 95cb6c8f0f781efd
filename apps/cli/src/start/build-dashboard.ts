import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from './supervisor/log-sink.ts';

const script = join(import.meta.dirname, '..', '..', '..', 'dashboard', 'build.ts');
/** The last lines of a failed build that are logged. */
const SHOWN_LINES = 12;

/**
 * Builds the dashboard when its sources have changed, beside the start of Postgres. The service runs without a
 * dashboard too, so a failed build is a warning.
 */
export function buildDashboard(log: LogSink): { done: Promise<void>; stop: () => void } {
  if (!existsSync(script)) return { done: Promise.resolve(), stop: () => undefined };
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const listen = (chunk: Buffer): void => {
    output = `${output}${chunk.toString()}`.slice(-20_000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const done = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      listen(Buffer.from(String(error)));
      resolve();
    });
    child.once('close', (code, signal) => {
      if (code !== 0 && signal === null) {
        const reason = output.trim().split('\n').slice(-SHOWN_LINES).join('\n');
        log.note('warn', 'the dashboard could not be built', { reason });
      }
      resolve();
    });
  });
  return { done, stop: () => void child.kill() };
}
