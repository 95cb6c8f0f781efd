import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { AppError } from '@gleaner/contracts/errors';
import { createFairQueue } from './fair-queue.ts';
import { PDF_EXITS, PDF_LIMITS, type PdfLimits, type PdfReading } from '../pdf/pdf-facts.ts';

/** The process's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const PROGRAM = new URL(IS_SOURCE ? 'pdf.thread.ts' : 'pdf.js', import.meta.url);

/** A process that gets no CPU is killed after so many times its limit. */
const MOST_WAITING = 4;

function whyEnded(code: number | null, { maxMemoryMb, maxCpuMs }: PdfLimits): string {
  if (code === PDF_EXITS.memory) return `the PDF needs more than ${maxMemoryMb} MB of memory to be read`;
  if (code === PDF_EXITS.time || code === null)
    return `the PDF takes more than ${maxCpuMs / 1_000} s to be read`;
  return 'the PDF can’t be read: reading it failed';
}

function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail, retryAfterSeconds: 1, cause });
}

/** Reads a PDF in a process that may only read files and run no code from texts. @throws when no process can be started, or the reason of the signal */
async function readInProcess(body: Uint8Array, limits: PdfLimits, signal: AbortSignal): Promise<PdfReading> {
  const child = spawn(
    process.execPath,
    [
      '--disallow-code-generation-from-strings',
      '--permission',
      '--allow-fs-read=*',
      '--allow-worker',
      '--no-warnings',
      fileURLToPath(PROGRAM),
      JSON.stringify(limits),
    ],
    { stdio: ['pipe', 'pipe', 'ignore'], env: {} },
  );
  const kill = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(kill, limits.maxCpuMs * MOST_WAITING);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(unavailable('no process could be started to read the PDF', cause)),
      );
      child.once('close', resolve);
    });
    // A process that has ended takes no more bytes.
    child.stdin.on('error', () => undefined);
    child.stdin.end(body);
    const [json, code] = await Promise.all([text(child.stdout), ended]);
    signal.throwIfAborted();
    if (code === 0) return JSON.parse(json) as PdfReading;
    return { ok: false, detail: whyEnded(code, limits) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

interface Waiting {
  owner: string | undefined;
  begin: () => void;
}

export type PdfReader = ReturnType<typeof createPdfReader>;

/** Reads PDFs, one at a time, alternating between owners. */
export function createPdfReader(limits = PDF_LIMITS) {
  const queue = createFairQueue<Waiting>();
  const closing = new AbortController();
  let isBusy = false;
  const next = (): void => {
    const first = queue.next();
    if (first === undefined || isBusy) return;
    queue.take(first);
    isBusy = true;
    first.begin();
  };

  return {
    /** @throws the reason of the signal or of `close`; an error when no process can be started */
    async read(
      body: Uint8Array,
      { owner, signal }: { owner?: string | undefined; signal?: AbortSignal | undefined } = {},
    ): Promise<PdfReading> {
      const either = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
      either.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiting: Waiting = { owner, begin: resolve };
      const leave = (): void => {
        if (queue.remove(waiting)) reject(either.reason as Error);
      };
      either.addEventListener('abort', leave, { once: true });
      queue.push(waiting);
      next();
      try {
        await promise;
      } finally {
        either.removeEventListener('abort', leave);
      }
      try {
        return await readInProcess(body, limits, either);
      } finally {
        isBusy = false;
        next();
      }
    },
    close: (): void => closing.abort(unavailable('the extraction pool is closed')),
  };
}
