import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessInput {
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment: nothing is inherited. */
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Judged on everything written so far; absent: ready as soon as it runs. */
  isReady?: (output: string) => boolean | Promise<boolean>;
  readyWithinMs?: number;
}

/** One process of the system under test, killed, frozen and restarted by its id. */
export interface RunningProcess {
  readonly name: string;
  /** Process id of the present incarnation. */
  pid: () => number;
  /** Everything written to standard output and error since the first start. */
  output: () => string;
  signal: (signal: NodeJS.Signals) => void;
  /** Resolves when the present incarnation is gone. */
  ended: () => Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** SIGKILL, then wait. */
  kill: () => Promise<void>;
  /** SIGTERM, then SIGKILL after `withinMs` (10 s). */
  stop: (withinMs?: number) => Promise<void>;
  /** The same command again, with these further variables; the former incarnation must have ended. */
  restart: (env?: NodeJS.ProcessEnv) => Promise<void>;
}

interface Incarnation {
  child: ChildProcess;
  pid: number;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a process and waits until it is ready; throws with its output when it is not. */
export async function startProcess(input: ProcessInput): Promise<RunningProcess> {
  let output = '';
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<Incarnation> => {
    const from = output.length;
    const child = spawn(input.command, input.args, {
      cwd: input.cwd,
      env: { ...input.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const listen = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => listen(Buffer.from(String(error))));
    });
    if (child.pid !== undefined) endWithThisProcess(child, child.pid);
    const until = Date.now() + (input.readyWithinMs ?? 120_000);
    while (input.isReady && !(await input.isReady(output.slice(from)))) {
      const gone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
      if (gone || Date.now() > until) {
        child.kill('SIGKILL');
        throw new Error(`${input.name} ${gone ? 'ended' : 'was not ready in time'}:\n${output.slice(from)}`);
      }
      await sleep(20);
    }
    if (child.pid === undefined) throw new Error(`${input.name} did not start:\n${output.slice(from)}`);
    return { child, pid: child.pid, ended };
  };
  let now = await start();
  const kill = async (): Promise<void> => {
    now.child.kill('SIGKILL');
    await now.ended;
  };
  return {
    name: input.name,
    pid: () => now.pid,
    output: () => output,
    signal: (signal) => void now.child.kill(signal),
    ended: () => now.ended,
    kill,
    stop: async (withinMs = 10_000) => {
      now.child.kill('SIGTERM');
      const late = setTimeout(() => now.child.kill('SIGKILL'), withinMs);
      await now.ended;
      clearTimeout(late);
    },
    restart: async (env) => {
      now = await start(env);
    },
  };
}

/** A shell whose input closes when this process ends, however that happens: no killed test run leaves a service. */
function endWithThisProcess(child: ChildProcess, pid: number): void {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$1"', 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  child.once('close', () => guard.kill('SIGKILL'));
}
