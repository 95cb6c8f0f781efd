import { AppError, createKeyedTurns, createTurns } from '@gleaner/contracts';
import { startLimited, type LimitedProcess } from '@gleaner/threads/limited-process';
import { invalid } from '../../platform/invalid-request.ts';
import { createByteBudget, type ReservedBytes } from '../../platform/rate-limits/byte-budget.ts';
import { MOST_ARCHIVE_BYTES, SHEET_EXITS, SHEET_LIMITS, type SheetLimits } from './sheet-limits.ts';

/** The process's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const PROGRAM = new URL(IS_SOURCE ? 'sheet.thread.ts' : 'sheet.js', import.meta.url);

/** Processes at once, of which an account has one: others wait for their turn. */
const AT_ONCE = 2;

/** Why a process refused, by how it ended. */
function whyEnded(code: number | null, what: string, { maxRows, maxUnpackedMb }: SheetLimits): string {
  const reasons: Readonly<Record<number, string>> = {
    [SHEET_EXITS.rows]: `has more than ${maxRows} rows`,
    [SHEET_EXITS.bytes]: `is larger than ${maxUnpackedMb} MB unpacked`,
    [SHEET_EXITS.type]: 'has a document type, which spreadsheets have not',
    [SHEET_EXITS.digits]:
      'has a whole number beyond ±9,007,199,254,740,991, whose last digits spreadsheets change: make its cell a text',
    [SHEET_EXITS.damaged]: 'can’t be read: it is damaged, encrypted or no xlsx',
  };
  return `${what} ${reasons[code ?? 0] ?? 'takes too much time or memory'}`;
}

function start(mode: 'read' | 'write', limits: SheetLimits, signal: AbortSignal): LimitedProcess {
  return startLimited({
    program: PROGRAM,
    args: [mode, JSON.stringify(limits)],
    flags: [`--max-old-space-size=${limits.maxMemoryMb}`],
    maxCpuMs: limits.maxCpuMs,
    signal,
    startFault: 'no process could be started for the spreadsheet',
  });
}

/** Feeds a process, no faster than it takes. Ends early when it has ended. */
async function feed(
  { child, ended }: LimitedProcess,
  chunks: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const over = ended.then(
    () => 'over' as const,
    () => 'over' as const,
  );
  for await (const chunk of chunks) {
    if (child.stdin.write(chunk)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    child.stdin.once('drain', resolve);
    if ((await Promise.race([promise, over])) === 'over') return;
  }
  child.stdin.end();
}

/** All pieces, counted as they come. */
async function collect(
  pieces: AsyncIterable<Uint8Array>,
  reserved: ReservedBytes,
): Promise<readonly Uint8Array[]> {
  const whole: Uint8Array[] = [];
  for await (const piece of pieces) {
    reserved.add(piece.length);
    whole.push(piece);
  }
  return whole;
}

async function* limitArchive(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MOST_ARCHIVE_BYTES)
      throw invalid('file', `the spreadsheet is larger than ${MOST_ARCHIVE_BYTES / 1024 ** 2} MB`);
    yield chunk;
  }
}

async function* toLines(
  header: readonly string[],
  blocks: AsyncIterable<readonly (readonly unknown[])[]>,
): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(header)}\n`;
  for await (const rows of blocks) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** The most characters of a cell in Excel. */
const MOST_CELL_CHARACTERS = 32_767;
/** Characters that no XML has. */
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A value as a cell: numbers and booleans as such, all else as text, which is cut at the most that Excel reads. */
export function toSheetCell(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(NO_XML, '');
  return text.length > MOST_CELL_CHARACTERS ? `${text.slice(0, MOST_CELL_CHARACTERS - 1)}…` : text;
}

/** Whose spreadsheet it is, and until when it is wanted. */
export interface SheetCall {
  accountId: string;
  signal: AbortSignal;
}

export interface SheetServices {
  sheets: Sheets;
}

export type Sheets = ReturnType<typeof createSheets>;

/** Runs the processes, a few at a time. @param closing ends all of them */
function createProcesses(limits: SheetLimits, closing: AbortSignal) {
  const ofAccount = createKeyedTurns(1);
  const ofAll = createTurns(AT_ONCE);

  /** Waits for a process. @returns a function that gives it to the next */
  const enter = async (accountId: string, signal: AbortSignal): Promise<() => void> => {
    const over = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<() => void>();
    const work = (): Promise<void> => {
      begun.resolve(over.resolve);
      return over.promise;
    };
    ofAccount(accountId, () => ofAll(work, signal), signal).catch(begun.reject);
    return begun.promise;
  };

  /** What the process answers, once it has begun to. @throws AppError that `refuse` makes of why it ended */
  async function* answerOf(
    mode: 'read' | 'write',
    input: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>,
    { accountId, signal, what, field }: SheetCall & { what: string; field: string },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const either = AbortSignal.any([signal, closing]);
    const leave = await enter(accountId, either);
    let process: LimitedProcess | undefined;
    try {
      process = start(mode, limits, either);
      const { close } = process;
      const fed = feed(process, input);
      fed.catch(close);
      for await (const chunk of process.child.stdout) yield chunk;
      await fed;
      const code = await process.ended;
      either.throwIfAborted();
      if (code !== 0) throw invalid(field, whyEnded(code, what, limits));
    } finally {
      process?.close();
      leave();
    }
  }

  return answerOf;
}

/**
 * Reads and writes spreadsheets (xlsx) in processes of their own, a few at a time. Archives are kept in memory while a client
 * sends or takes them, so that no slow client holds a process.
 */
export function createSheets(limits = SHEET_LIMITS) {
  const closing = new AbortController();
  const kept = createByteBudget();
  const answerOf = createProcesses(limits, closing.signal);

  return {
    /** The first sheet of an archive as CSV. @throws AppError invalid_request (file), concurrency_limit_exceeded */
    async *read(
      archive: AsyncIterable<Uint8Array>,
      call: SheetCall,
    ): AsyncGenerator<Uint8Array, void, undefined> {
      const reserved = kept.open(call.accountId);
      try {
        const whole = await collect(limitArchive(archive), reserved);
        yield* answerOf('read', whole, { ...call, what: 'the spreadsheet', field: 'file' });
      } finally {
        reserved.end();
      }
    },
    /**
     * An archive with one sheet. Texts stay texts, also those that begin with `=`.
     * @param blocks cells are texts, numbers, booleans and null
     * @throws AppError invalid_request (format), concurrency_limit_exceeded, before anything is answered
     */
    async write(
      header: readonly string[],
      blocks: AsyncIterable<readonly (readonly unknown[])[]>,
      call: SheetCall,
    ): Promise<AsyncIterable<Uint8Array>> {
      const options = { ...call, what: 'the export', field: 'format' };
      const reserved = kept.open(call.accountId);
      // An answer whose client has left is never read.
      call.signal.addEventListener('abort', reserved.end, { once: true });
      try {
        const whole = await collect(answerOf('write', toLines(header, blocks), options), reserved);
        return (async function* pieces() {
          try {
            yield* whole;
          } finally {
            reserved.end();
          }
        })();
      } catch (error) {
        reserved.end();
        throw error;
      }
    },
    close: (): void =>
      closing.abort(
        new AppError('temporarily_unavailable', { detail: 'the service stops', retryAfterSeconds: 1 }),
      ),
  };
}
