import { text } from 'node:stream/consumers';
import { AppError } from '@gleaner/contracts/errors';
import { createFairQueue } from './fair-queue.ts';
import { startLimited } from './limited-process.ts';
import { PDF_EXITS, PDF_LIMITS, type PdfLimits, type PdfReading } from '@gleaner/extractors/pdf';

/** The process's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const PROGRAM = new URL(IS_SOURCE ? 'pdf.thread.ts' : 'pdf.js', import.meta.url);

function whyEnded(code: number | null, { maxMemoryMb, maxCpuMs }: PdfLimits): string {
  if (code === PDF_EXITS.memory) return `the PDF needs more than ${maxMemoryMb} MB of memory to be read`;
  if (code === PDF_EXITS.time || code === null)
    return `the PDF takes more than ${maxCpuMs / 1_000} s to be read`;
  return 'the PDF can’t be read: reading it failed';
}

/** Reads a PDF in a process of its own. @throws when no process can be started, or the reason of the signal */
async function readInProcess(body: Uint8Array, limits: PdfLimits, signal: AbortSignal): Promise<PdfReading> {
  const { child, ended, close } = startLimited({
    program: PROGRAM,
    args: [JSON.stringify(limits)],
    flags: ['--allow-worker'],
    maxCpuMs: limits.maxCpuMs,
    signal,
    startFault: 'no process could be started to read the PDF',
  });
  try {
    child.stdin.end(body);
    const [json, code] = await Promise.all([text(child.stdout), ended]);
    signal.throwIfAborted();
    if (code === 0) return JSON.parse(json) as PdfReading;
    return { ok: false, detail: whyEnded(code, limits) };
  } finally {
    close();
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
    close: (): void =>
      closing.abort(
        new AppError('temporarily_unavailable', {
          detail: 'the extraction pool is closed',
          retryAfterSeconds: 1,
        }),
      ),
  };
}
