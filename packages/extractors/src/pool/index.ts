import { AppError, type ParserSchema } from '@gleaner/contracts';
import type { SchemaCheck } from '../check-schema.ts';
import type { Extraction, ExtractionFailure, FieldReport, FieldTrace } from '../extraction.ts';
import type { NotedReport } from '../output/note-values.ts';
import type { PageOutline } from '../outline/types.ts';
import type { Page } from '../page.ts';
import type { RepairPage, RepairProposal } from '../suggest/repair.ts';
import type { Suggestion, SuggestPage } from '../suggest/types.ts';
import type { Learned } from './learn.ts';
import type { Outcome } from './pool-thread.ts';
import type { Job } from './protocol.ts';
import type { SiteStepResult, SiteWork } from './site-step.ts';
import { createScheduler, type PoolStats } from './scheduler.ts';

export type { Learned } from './learn.ts';
export type { PoolStats } from './scheduler.ts';
export type { SiteStepResult } from './site-step.ts';

export interface PoolOptions {
  /** One owner has at most this many busy at once. */
  threads: number;
  /**
   * Threads beside these, so that the slow tasks of one owner never keep the others waiting. While all threads run slow
   * tasks, up to three more are started. Default 0: neither.
   */
  spareThreads?: number | undefined;
  /** A task that runs longer is killed with its thread. Default 10,000. */
  timeoutMs?: number | undefined;
  /** The most waiting tasks; further ones are rejected with `temporarily unavailable`. Default 1,000. */
  maxQueue?: number | undefined;
  /**
   * The most waiting tasks of one owner; further ones are rejected with `concurrency limit exceeded`. Default: a quarter
   * of `maxQueue`, or all of it in the background. Killed tasks lower the limit of their owner for a while.
   */
  maxQueuePerOwner?: number | undefined;
  /** Heap of one thread. Default 512. */
  maxHeapMb?: number | undefined;
  /** The most tasks per thread. 1 (default) gives the shortest waits; higher values keep threads busy in bulk work. */
  pipeline?: number | undefined;
  /** A thread that has had no task for so long ends; the next task starts one again. Default: two minutes. */
  idleMs?: number | undefined;
  /** On Linux the threads run at a lower priority. */
  isBackground?: boolean | undefined;
  /**
   * Bodies of at least this size are moved to the thread instead of copied. Default: a megabyte. When another page ends
   * the thread, a copied page runs again, and a moved page is lost (`PageLostError`).
   */
  moveBytes?: number | undefined;
}

/** The page was lost because another page ended its thread. The caller should fetch it again. */
export class PageLostError extends Error {
  override name = 'PageLostError';
}

export interface ExtractRequest {
  /** Identifies the parser and its version. Threads cache compiled parsers by this key. */
  parserKey: string;
  schema: ParserSchema;
  /** The pool takes the body over: a body of at least `moveBytes` is moved to the thread and is empty afterwards. */
  page: Page;
  explain?: boolean | undefined;
  /** Returns the remaining data when a field fails. */
  partial?: boolean | undefined;
  /** Adds notes of the values to the reports; only of `extractJson`. */
  notesValues?: boolean | undefined;
  /** Makes `body` part of the result: the page's bytes, when they were moved. A page that was killed gives none. */
  returnsBody?: 'failed' | 'always' | undefined;
  /** The account, for a fair share of the threads. */
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** An extraction with its data as JSON text, for a host that only stores or sends it. */
export type JsonExtraction = {
  fields: NotedReport[];
  explain?: FieldTrace[];
  /** Of some pages, with `notesValues`. */
  structure?: number[];
  body?: Uint8Array;
} & ({ ok: true; data: string } | { ok: false; failure: ExtractionFailure; data?: string });

export interface CheckOptions {
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface SiteWorkRequest extends SiteWork {
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface ExtractionPool {
  /** Rejects only when aborted, when the pool is full or closed, with `PageLostError`, or for an internal fault. */
  extract: (request: ExtractRequest) => Promise<Extraction>;
  extractJson: (request: ExtractRequest) => Promise<JsonExtraction>;
  check: (schema: unknown, options?: CheckOptions) => Promise<SchemaCheck>;
  /** A schema from one to five pages with or without examples. */
  suggest: (pages: readonly SuggestPage[], options?: CheckOptions) => Promise<Learned<Suggestion>>;
  /** What a page holds and how to select it, as JSON of at most `maxCharacters`. */
  outline: (page: Page, maxCharacters: number, options?: CheckOptions) => Promise<Learned<PageOutline>>;
  /** A schema whose broken fields are learned again from the rows that the parser gave before. */
  repair: (
    schema: ParserSchema,
    pages: readonly RepairPage[],
    options?: CheckOptions,
  ) => Promise<Learned<RepairProposal>>;
  /** The next step of a prebuilt API, or its outcome, from the responses so far. */
  site: (request: SiteWorkRequest) => Promise<SiteStepResult>;
  stats: () => PoolStats;
  /** Ends the threads and rejects the tasks still in the pool. */
  close: () => Promise<void>;
}

const MEGABYTE = 1024 ** 2;

interface Shipment {
  page: Page;
  transfer: ArrayBuffer[];
}

function shipmentOf(page: Page, moveBytes: number): Shipment {
  const { body } = page;
  if (typeof body === 'string') return { page, transfer: [] };
  // A small Buffer is a view of a shared slab, and sending it would copy the whole slab.
  const own = body.buffer.byteLength === body.byteLength ? body : new Uint8Array(body);
  const isMoved = own.byteLength >= moveBytes && own.buffer instanceof ArrayBuffer;
  return { page: { ...page, body: own }, transfer: isMoved ? [own.buffer] : [] };
}

function failed(detail: string): { ok: false; failure: ExtractionFailure; fields: FieldReport[] } {
  return {
    ok: false,
    failure: { code: 'extraction_failed', detail, fields: [] },
    fields: [],
  };
}

/** Why the job was invalid and never reached a thread; undefined for other faults. */
function refusalOf(error: Error): string | undefined {
  return error instanceof AppError && error.code === 'invalid_request' ? error.options.detail : undefined;
}

/** Parses the thread's JSON text, which has the shape of the job's result. */
function parseReply<T>(json: string | undefined): T {
  return (json === undefined ? undefined : JSON.parse(json)) as T;
}

/** Runs extractions in threads, which start when there is work. A task that exceeds its time or memory is killed alone; its thread is replaced. */
export function createExtractionPool({
  threads,
  timeoutMs = 10_000,
  maxQueue = 1_000,
  maxQueuePerOwner,
  maxHeapMb = 512,
  pipeline = 1,
  isBackground = false,
  spareThreads = 0,
  idleMs = 120_000,
  moveBytes = MEGABYTE,
}: PoolOptions): ExtractionPool {
  const scheduler = createScheduler({
    threads,
    timeoutMs,
    maxQueue,
    maxQueuePerOwner: maxQueuePerOwner ?? (isBackground ? maxQueue : Math.ceil(maxQueue / 4)),
    maxHeapMb,
    pipeline,
    isBackground,
    spareThreads,
    idleMs,
  });

  /** Why a killed task has no result. Throws for internal faults. */
  const killedBecause = (outcome: Exclude<Outcome, { state: 'result' }>): string => {
    switch (outcome.state) {
      case 'error': {
        throw outcome.error;
      }
      case 'lost': {
        throw new PageLostError('the page was lost with its thread');
      }
      case 'timeout': {
        return `extraction took longer than ${(timeoutMs / 1000).toLocaleString('en')} s and was stopped`;
      }
      case 'thread-died': {
        return outcome.reason === 'memory'
          ? `extraction needed more than ${maxHeapMb} MB of memory and was stopped`
          : `extraction ended its thread: ${outcome.reason}`;
      }
    }
  };

  const run = (request: ExtractRequest, dataAsText: boolean): Promise<Outcome> => {
    const {
      parserKey,
      schema,
      explain = false,
      partial = false,
      notesValues = false,
      owner,
      signal,
    } = request;
    const { page, transfer } = shipmentOf(request.page, moveBytes);
    const returnsBody = transfer.length > 0 ? request.returnsBody : undefined;
    const options = { explain, partial, dataAsText, notesValues, returnsBody };
    const job: Job = { kind: 'extract', parserKey, schema, page, ...options };
    return scheduler.submit({ job, owner, transfer, signal });
  };

  const learn = async <T>(job: Job, { owner, signal }: CheckOptions = {}): Promise<Learned<T>> => {
    const outcome = await scheduler.submit({ job, owner, signal });
    return outcome.state === 'result'
      ? parseReply<Learned<T>>(outcome.json)
      : { ok: false, detail: killedBecause(outcome) };
  };

  return {
    async extract(request) {
      const outcome = await run(request, false);
      return outcome.state === 'result'
        ? parseReply<Extraction>(outcome.json)
        : failed(killedBecause(outcome));
    },
    async extractJson(request) {
      const outcome = await run(request, true);
      if (outcome.state !== 'result') return failed(killedBecause(outcome));
      const body = outcome.body === undefined ? {} : { body: outcome.body };
      const rest = { ...parseReply<JsonExtraction>(outcome.json), ...body };
      if (rest.ok) return { ...rest, data: outcome.data ?? '' };
      return outcome.data === undefined ? rest : { ...rest, data: outcome.data };
    },
    async check(schema, { owner, signal } = {}) {
      const outcome = await scheduler.submit({ job: { kind: 'check', schema }, owner, signal });
      if (outcome.state === 'result') return parseReply<SchemaCheck>(outcome.json);
      const refused = outcome.state === 'error' ? refusalOf(outcome.error) : undefined;
      if (refused !== undefined) return { ok: false, faults: [{ path: '', reason: refused }] };
      return { ok: false, faults: [{ path: '', reason: killedBecause(outcome) }] };
    },
    suggest: (pages, options) => learn({ kind: 'suggest', pages }, options),
    outline: (page, maxCharacters, options) => learn({ kind: 'outline', page, maxCharacters }, options),
    repair: (schema, pages, options) => learn({ kind: 'repair', schema, pages }, options),
    async site({ owner, signal, ...work }) {
      const outcome = await scheduler.submit({ job: { kind: 'site', ...work }, owner, signal });
      if (outcome.state === 'result') return parseReply<SiteStepResult>(outcome.json);
      return { kind: 'failure', error: { code: 'site_changed', detail: killedBecause(outcome) } };
    },
    stats: scheduler.stats,
    close: scheduler.close,
  };
}
