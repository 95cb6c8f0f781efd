import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startWatchdog } from '@gleaner/embedded-postgres/watchdog';
import type { LogSink } from './log-sink.ts';

/** One process that the supervisor keeps running. */
export interface ProcessSpec {
  /** Unique: `api`, `worker`, `worker-2`. */
  name: string;
  /** Absolute path of a TypeScript or JavaScript file. */
  entry: string;
  /** Asked at every start: the database's address can change. */
  env: () => NodeJS.ProcessEnv;
}

export interface SupervisedProcess {
  name: string;
  /** Undefined between two incarnations. */
  pid: () => number | undefined;
  /** SIGTERM, and SIGKILL after `withinMs`; never restarted again. */
  stop: (withinMs: number) => Promise<void>;
  /** Ends the present incarnation; the next one starts at once. */
  restart: () => void;
}

export interface SuperviseOptions {
  log: LogSink;
  onPid: (name: string, pid: number | undefined) => void;
  /** Overridden in tests only. */
  backoff?: Partial<Backoff>;
}

interface Backoff {
  firstMs: number;
  mostMs: number;
  /** A process that ran this long is healthy: the next crash waits `firstMs` again. */
  resetAfterMs: number;
}

const BACKOFF: Backoff = { firstMs: 500, mostMs: 30_000, resetAfterMs: 60_000 };

/** For a process that hangs where no signal handler or timer of its own runs any more. */
const KILL_GROUP = 'sleep 9; kill -9 "-$1"';

const parentWatch = join(import.meta.dirname, 'parent-watch.ts');

/** Starts a process and keeps it running: a crashed one comes back after 0.5, 1, 2, … 30 s. */
export function supervise(spec: ProcessSpec, options: SuperviseOptions): SupervisedProcess {
  const backoff = { ...BACKOFF, ...options.backoff };
  const { log, onPid } = options;
  let pid: number | undefined;
  let crashes = 0;
  let isStopping = false;
  let isRestartAsked = false;
  let pendingRestart: NodeJS.Timeout | undefined;
  let ended: Promise<void> = Promise.resolve();

  const start = (): void => {
    const startedAt = Date.now();
    const child = spawn(process.execPath, ['--import', parentWatch, spec.entry], {
      env: spec.env(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C goes to the supervisor alone, which ends things in order.
      detached: true,
    });
    pid = child.pid;
    // First of all: from here on nothing is left behind, whenever this process is killed.
    const watchdog = pid === undefined ? undefined : startWatchdog(pid, KILL_GROUP);
    onPid(spec.name, pid);
    log.note('info', 'process started', { child: spec.name, pid });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => log.line(spec.name, line));
    }
    ended = new Promise((resolve) => {
      const finish = (how: string): void => {
        watchdog?.dismiss();
        if (pid !== undefined) endGroup(pid);
        pid = undefined;
        onPid(spec.name, undefined);
        resolve();
        if (isStopping) return;
        if (Date.now() - startedAt > backoff.resetAfterMs) crashes = 0;
        const waitMs = isRestartAsked ? 0 : Math.min(backoff.mostMs, backoff.firstMs * 2 ** crashes);
        if (!isRestartAsked) crashes += 1;
        isRestartAsked = false;
        log.note('error', `process ended ${how}; starting it again`, { child: spec.name, in_ms: waitMs });
        pendingRestart = setTimeout(start, waitMs);
      };
      child.once('error', (error) => finish(`(${error.message})`));
      child.once('exit', (code, signal) => finish(signal === null ? `with code ${code}` : `by ${signal}`));
    });
  };
  start();

  const send = (signal: NodeJS.Signals): void => {
    if (pid !== undefined) signalProcess(pid, signal);
  };
  return {
    name: spec.name,
    pid: () => pid,
    stop: async (withinMs) => {
      isStopping = true;
      clearTimeout(pendingRestart);
      send('SIGTERM');
      const late = setTimeout(() => {
        log.note('warn', 'process did not stop in time: killed', { child: spec.name, pid });
        send('SIGKILL');
      }, withinMs);
      await ended;
      clearTimeout(late);
    },
    restart: () => {
      isRestartAsked = true;
      send('SIGTERM');
    },
  };
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

/** What the process started and left behind in its group, a browser above all. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing was left.
  }
}
