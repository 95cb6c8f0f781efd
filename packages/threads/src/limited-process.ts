import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '@gleaner/contracts/errors';

/** A process that gets no CPU is killed after so many times its limit. */
const MOST_WAITING = 4;

interface LimitedOptions {
  /** The process's code. It watches its own memory and CPU time. */
  program: URL;
  args: readonly string[];
  /** What it may do besides reading files. */
  flags?: readonly string[];
  maxCpuMs: number;
  /** Ends the process when it is aborted. */
  signal: AbortSignal;
  /** What a client reads when no process can be started. */
  startFault: string;
}

/** A running process: it reads its standard input, and its standard output is its answer. */
export interface LimitedProcess {
  child: ChildProcess & {
    stdin: NodeJS.WritableStream;
    stdout: AsyncIterable<Uint8Array> & NodeJS.ReadableStream;
  };
  /** How it ended: its exit code, or null when it was killed. Rejects when it could not be started. */
  ended: Promise<number | null>;
  close: () => void;
}

/** Starts a Node process that may read files alone, runs no code from texts, and is killed when it takes too long. */
export function startLimited({
  program,
  args,
  flags = [],
  maxCpuMs,
  signal,
  startFault,
}: LimitedOptions): LimitedProcess {
  const child = spawn(
    process.execPath,
    [
      '--disallow-code-generation-from-strings',
      '--permission',
      '--allow-fs-read=*',
      '--no-warnings',
      ...flags,
      fileURLToPath(program),
      ...args,
    ],
    { stdio: ['pipe', 'pipe', 'ignore'], env: {} },
  );
  const kill = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(kill, maxCpuMs * MOST_WAITING);
  signal.addEventListener('abort', kill, { once: true });
  // A process that has ended takes no more bytes.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new AppError('temporarily_unavailable', { detail: startFault, retryAfterSeconds: 1, cause })),
    );
    child.once('close', resolve);
  });
  ended.catch(() => undefined);
  const close = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    kill();
  };
  return { child, ended, close };
}
