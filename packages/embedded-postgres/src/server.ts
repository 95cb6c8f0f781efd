import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines } from './child-output.ts';
import { ClusterError } from './cluster-error.ts';
import { commandLine, isAlive } from './process-facts.ts';
import { startWatchdog } from './watchdog.ts';
import { serverEnvironment } from './initialise.ts';
import type { ServerUser } from './server-user.ts';

export interface ServerInput {
  binaries: string;
  /** The folder of the cluster, with postmaster.pid. */
  dataFolder: string;
  user: ServerUser | undefined;
  settings: Record<string, string>;
  /** Every line that the server writes. */
  log: (line: string) => void;
}

/** A running server: a child of this process. */
export interface Server {
  pid: number;
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<void>;
  /** Fast shutdown: disconnects clients and writes everything. Immediate shutdown after `withinMs` (8 s). */
  stop: (withinMs?: number) => Promise<void>;
}

/** Logins of accounts cause most of what a healthy server writes. */
const LOG_LIMITS = { linesPerSecond: 200, bytesPerSecond: 65_536 };

/** Starts the server and waits until it accepts connections, including recovery after a crash. */
export async function startServer(input: ServerInput): Promise<Server> {
  const recent: string[] = [];
  const flags = Object.entries(input.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(input.binaries, 'bin', 'postgres'), ['-D', input.dataFolder, ...flags], {
    ...input.user,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // In its own group the server gets no Ctrl-C from the terminal: it must outlive its clients.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      recent.push(String(error));
      resolve();
    });
  });
  const onLine = (line: string): void => {
    recent.push(line);
    if (recent.length > 20) recent.shift();
    input.log(line);
  };
  readLines(child.stderr, onLine, LOG_LIMITS);
  const { pid } = child;
  if (pid === undefined) {
    await ended;
    throw new ClusterError(`Postgres could not be started: ${recent.join('\n')}`);
  }
  const watchdog = startWatchdog(pid, STOP, input.user);
  void ended.then(() => watchdog.dismiss());
  await becomesReady(child, input.dataFolder, recent);
  return { pid, ended, stop: (withinMs = 8000) => stopServer(child, ended, withinMs) };
}

/** Waits two seconds first, so that the other processes can stop while the database still answers. */
const STOP =
  'sleep 2; kill -INT "$1" || exit; for i in 1 2 3 4 5 6 7 8; do sleep 1; kill -0 "$1" || exit; done; kill -QUIT "$1"';

async function becomesReady(child: ChildProcess, dataFolder: string, recent: string[]): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new ClusterError(
        `Postgres did not start on ${dataFolder}.\n${recent.join('\n')}`,
        'Postgres wrote the lines above. The data was not changed.',
      );
    }
    const lines = (await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    // Line 1 is the pid and line 8 the state; pg_ctl waits for the same.
    if (lines[0]?.trim() === String(child.pid) && lines[7]?.trim() === 'ready') return;
    await sleep(25);
  }
}

async function stopServer(child: ChildProcess, ended: Promise<void>, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  const late = setTimeout(() => child.kill('SIGQUIT'), withinMs);
  await ended;
  clearTimeout(late);
}

/**
 * Cleans up after an earlier start: stops a server that outlived its supervisor, and removes a lock file when its
 * process id now belongs to another program (Postgres would refuse to start).
 */
export async function clearLeftovers(dataFolder: string): Promise<void> {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const text = await readFile(lockFile, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const pid = Number.parseInt(text, 10);
  if (!isAlive(pid) || !commandLine(pid).includes(` -D ${dataFolder} `)) {
    await rm(lockFile, { force: true });
    return;
  }
  process.kill(pid, 'SIGINT');
  if (await hasEnded(pid, 10_000)) return;
  process.kill(pid, 'SIGQUIT');
  if (await hasEnded(pid, 5000)) return;
  throw new ClusterError(
    `A Postgres from an earlier start still runs on ${dataFolder} (pid ${pid}) and does not stop.`,
    `End it with: kill -9 ${pid}`,
  );
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (isAlive(pid)) {
    if (Date.now() > until) return false;
    await sleep(50);
  }
  return true;
}
