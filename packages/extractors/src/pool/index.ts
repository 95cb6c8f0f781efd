import { AppError, type ParserSchema } from '@gleaner/contracts';
import type { SchemaCheck } from '../check-schema.ts';
import type { Extraction, FieldReport, ExtractionFailure, FieldTrace } from '../extraction.ts';
import type { Page } from '../page.ts';
import { SCHEMA_MISSING, type Job, type SiteStepResult, type SiteWork } from './jobs.ts';

export type { SiteStepResult } from './jobs.ts';
import { startThread, type Outcome, type PoolThread, type Task } from './pool-thread.ts';

export interface PoolOptions {
  threads: number;
  /** A task that runs longer is killed with its thread. Default 10,000. */
  timeoutMs?: number;
  /** Tasks that may wait; more are refused with `temporarily unavailable`. Default 1,000. */
  maxQueue?: number;
  /** Heap of one thread. Default 512. */
  maxOldGenerationMb?: number;
}

export interface ExtractRequest {
  /** Names the parser and its version: threads keep compiled parsers by it. */
  parserKey: string;
  schema: ParserSchema;
  /** The pool takes the body over: large ones are moved to the thread and empty here afterwards. */
  page: Page;
  explain?: boolean;
  signal?: AbortSignal;
}

/** An extraction whose data is already JSON text, for a host that only stores or sends it. */
export type JsonExtraction =
  | { ok: true; data: string; fields: FieldReport[]; explain?: FieldTrace[] }
  | { ok: false; failure: ExtractionFailure; fields: FieldReport[]; explain?: FieldTrace[] };

export interface SiteRequest extends SiteWork {
  signal?: AbortSignal;
}

export interface PoolStats {
  threads: number;
  busy: number;
  queued: number;
  completed: number;
  timeouts: number;
  threadsReplaced: number;
}

export interface ExtractionPool {
  extract: (request: ExtractRequest) => Promise<Extraction>;
  extractJson: (request: ExtractRequest) => Promise<JsonExtraction>;
  check: (schema: unknown, signal?: AbortSignal) => Promise<SchemaCheck>;
  /** The next step of a prebuilt API, or its answer, from the responses so far. */
  site: (request: SiteRequest) => Promise<SiteStepResult>;
  stats: () => PoolStats;
  /** Ends the threads; tasks still in the pool are refused. */
  close: () => Promise<void>;
}

/** Bodies this large are moved to the thread instead of copied. */
const TRANSFER_BYTES = 256 * 1024;
/** A task that has killed this many threads is failed alone. */
const MAX_DEATHS = 2;

const transferOf = ({ body }: Page): ArrayBuffer[] => {
  if (typeof body === 'string' || body.byteLength < TRANSFER_BYTES) return [];
  const { buffer } = body;
  // A view on a part of a buffer that others use must not be moved.
  return buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength ? [buffer] : [];
};

const failed = (detail: string): { ok: false; failure: ExtractionFailure; fields: FieldReport[] } => ({
  ok: false,
  failure: { code: 'extraction_failed', detail, fields: [] },
  fields: [],
});

/** Threads that run extractions: what runs for ever or out of memory is killed alone, and its thread replaced. */
export const createExtractionPool = ({
  threads: threadCount,
  timeoutMs = 10_000,
  maxQueue = 1_000,
  maxOldGenerationMb = 512,
}: PoolOptions): ExtractionPool => {
  const threads = new Set<PoolThread>();
  const queue: Task[] = [];
  let nextId = 0;
  let isClosed = false;
  let completed = 0;
  let timeouts = 0;
  let threadsReplaced = 0;

  const startOne = (): void => {
    const thread: PoolThread = startThread({
      timeoutMs,
      maxOldGenerationMb,
      onEnd(task, outcome, isDead) {
        if (isDead) replace(thread);
        finish(task, outcome);
        dispatch();
      },
      onIdleDeath() {
        replace(thread);
        dispatch();
      },
    });
    threads.add(thread);
  };

  const replace = (thread: PoolThread): void => {
    threads.delete(thread);
    if (isClosed) return;
    threadsReplaced += 1;
    startOne();
  };

  const dispatch = (): void => {
    for (const thread of threads) {
      if (queue.length === 0) return;
      if (thread.busy !== undefined) continue;
      const task = queue.shift();
      if (task !== undefined) thread.run(task);
    }
  };

  const finish = (task: Task, outcome: Outcome): void => {
    if (outcome.state === 'killed-thread' && !isClosed) {
      task.deaths += 1;
      // A moved body died with the thread: such a task can't run again.
      if (task.deaths < MAX_DEATHS && task.transfer.length === 0) {
        queue.unshift(task);
        return;
      }
    }
    completed += 1;
    if (outcome.state === 'timeout') timeouts += 1;
    task.settle(outcome);
  };

  const submit = (job: Job, transfer: ArrayBuffer[], signal: AbortSignal | undefined): Promise<Outcome> => {
    if (isClosed) throw new AppError('temporarily_unavailable', { detail: 'the extraction pool is closed' });
    signal?.throwIfAborted();
    if (queue.length >= maxQueue) {
      throw new AppError('temporarily_unavailable', {
        detail: `${queue.length} extractions are waiting`,
        retryAfterSeconds: 1,
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    nextId += 1;
    const onAbort = (): void => {
      const at = queue.indexOf(task);
      if (at !== -1) queue.splice(at, 1);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const task: Task = {
      id: nextId,
      job,
      transfer,
      deaths: 0,
      settle(outcome) {
        signal?.removeEventListener('abort', onAbort);
        resolve(outcome);
      },
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    queue.push(task);
    dispatch();
    return promise;
  };

  const seconds = (timeoutMs / 1000).toLocaleString('en');

  /** The thread's own result, or what stands for it when the task was killed. */
  const resultOr = <T>(
    outcome: Outcome,
    whenKilled: (detail: string) => T,
    cast: (result: unknown) => T,
  ): T => {
    switch (outcome.state) {
      case 'result': {
        return cast(outcome.result);
      }
      case 'error': {
        throw outcome.error;
      }
      case 'timeout': {
        return whenKilled(`extraction took longer than ${seconds} s and was stopped`);
      }
      case 'killed-thread': {
        return whenKilled(`extraction needed more than ${maxOldGenerationMb} MB of memory and was stopped`);
      }
    }
  };

  const runExtract = async (kind: 'extract' | 'extractJson', request: ExtractRequest): Promise<Outcome> => {
    const { parserKey, schema, page, explain = false, signal } = request;
    return submit({ kind, parserKey, schema, page, explain }, transferOf(page), signal);
  };

  for (let started = 0; started < threadCount; started += 1) startOne();
  void SCHEMA_MISSING;

  return {
    async extract(request) {
      return resultOr<Extraction>(
        await runExtract('extract', request),
        failed,
        (result) => result as Extraction,
      );
    },
    async extractJson(request) {
      const outcome = await runExtract('extractJson', request);
      return resultOr<JsonExtraction>(outcome, failed, (result) => result as JsonExtraction);
    },
    async check(schema, signal) {
      const outcome = await submit({ kind: 'check', schema }, [], signal);
      return resultOr<SchemaCheck>(
        outcome,
        (reason) => ({ ok: false, faults: [{ path: '', reason }] }),
        (result) => result as SchemaCheck,
      );
    },
    async site({ signal, ...work }) {
      const outcome = await submit({ kind: 'site', ...work }, [], signal);
      return resultOr<SiteStepResult>(
        outcome,
        (detail) => ({ kind: 'failure', error: { code: 'site_changed', detail } }),
        (result) => result as SiteStepResult,
      );
    },
    stats: () => ({
      threads: threads.size,
      busy: [...threads].filter(({ busy }) => busy !== undefined).length,
      queued: queue.length,
      completed,
      timeouts,
      threadsReplaced,
    }),
    async close() {
      isClosed = true;
      const closed = new AppError('temporarily_unavailable', { detail: 'the extraction pool is closed' });
      const waiting = queue.splice(0);
      for (const task of waiting) task.settle({ state: 'error', error: closed });
      for (const { busy } of threads) busy?.settle({ state: 'error', error: closed });
      await Promise.all([...threads].map((thread) => thread.terminate()));
      threads.clear();
    },
  };
};
