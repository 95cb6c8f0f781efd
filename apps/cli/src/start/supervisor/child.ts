import { spawn } from 'node:child_process';
import { readLines } from '@gleaner/embedded-postgres/child-output';
import { startWatchdog } from '@gleaner/embedded-postgres/watchdog';
import { entryFile } from '../entry-file.ts';
import type { LogSink } from './log-sink.ts';

/** One process that the supervisor keeps running. */
export interface ProcessSpec {
  /** Unique: `api`, `worker`, `worker-2`. */
  name: string;
  /** Absolute path of a TypeScript or JavaScript file. */
  entry: string;
  /** The first start waits for it. */
  notBefore?: Promise<void>;
  /** Called at every start, because the database's address can change. */
  env: () => NodeJS.ProcessEnv;
}

export type SupervisedProcess = ReturnType<typeof supervise>;

interface SuperviseOptions {
  log: LogSink;
  onPid: (name: string, pid: number | undefined) => void;
  /** Overridden in tests only. */
  backoff?: Partial<typeof BACKOFF>;
}

/** A process that ran for `resetAfterMs` is healthy: the next crash waits `firstMs` again. */
const BACKOFF = { firstMs: 500, mostMs: 30_000, resetAfterMs: 60_000 };

/** Kills a process that hangs so that none of its own signal handlers or timers run. */
const KILL_GROUP = 'sleep 9; kill -9 "-$1"';

const parentWatch = entryFile('parent-watch');

/** Starts a process and restarts it after a crash: after 0.5, 1, 2, … 30 s. */
export function supervise(spec: ProcessSpec, options: SuperviseOptions) {
  const backoff = { ...BACKOFF, ...options.backoff };
  const { log, onPid } = options;
  let pid: number | undefined;
  let crashes = 0;
  let isStopping = false;
  let isRestartRequested = false;
  let pendingRestart: NodeJS.Timeout | undefined;
  let ended: Promise<void> = Promise.resolve();

  const start = (): void => {
    const startedAt = Date.now();
    // Stack traces of the bundle name the TypeScript lines.
    const flags = spec.entry.endsWith('.js') ? ['--enable-source-maps'] : [];
    const child = spawn(process.execPath, [...flags, '--import', parentWatch, spec.entry], {
      env: spec.env(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // In its own group the child gets no Ctrl-C; the supervisor stops all processes in order.
      detached: true,
    });
    pid = child.pid;
    // Started first, so that the child never outlives a killed supervisor.
    const watchdog = pid === undefined ? undefined : startWatchdog(pid, KILL_GROUP);
    onPid(spec.name, pid);
    log.note('info', 'process started', { child: spec.name, pid });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) readLines(stream, (line) => log.line(spec.name, line));
    }
    ended = new Promise((resolve) => {
      const finish = (how: string): void => {
        watchdog?.dismiss();
        // What the process left running in its group, for example a browser.
        if (pid !== undefined) signalQuietly(-pid, 'SIGKILL');
        pid = undefined;
        onPid(spec.name, undefined);
        resolve();
        if (isStopping) return;
        if (Date.now() - startedAt > backoff.resetAfterMs) crashes = 0;
        const waitMs = isRestartRequested ? 0 : Math.min(backoff.mostMs, backoff.firstMs * 2 ** crashes);
        if (!isRestartRequested) crashes += 1;
        isRestartRequested = false;
        log.note('error', `process ended ${how}; restarting it`, { child: spec.name, in_ms: waitMs });
        pendingRestart = setTimeout(start, waitMs);
      };
      child.once('error', (error) => finish(`(${error.message})`));
      child.once('exit', (code, signal) => finish(signal === null ? `with code ${code}` : `by ${signal}`));
    });
  };
  if (spec.notBefore === undefined) start();
  else {
    void spec.notBefore.then(() => {
      if (!isStopping) start();
    });
  }

  return {
    name: spec.name,
    /** Undefined while the process is down. */
    pid: (): number | undefined => pid,
    /** Sends SIGTERM, and SIGKILL after `withinMs`, and does not restart the process. */
    stop: async (withinMs: number): Promise<void> => {
      isStopping = true;
      clearTimeout(pendingRestart);
      signalQuietly(pid, 'SIGTERM');
      const late = setTimeout(() => {
        log.note('warn', 'process did not stop in time; killing it', { child: spec.name, pid });
        signalQuietly(pid, 'SIGKILL');
      }, withinMs);
      await ended;
      clearTimeout(late);
    },
    /** Stops the process and starts it again at once. */
    restart: (): void => {
      isRestartRequested = true;
      signalQuietly(pid, 'SIGTERM');
    },
  };
}

/** @param pid negative: of the whole group */
function signalQuietly(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
