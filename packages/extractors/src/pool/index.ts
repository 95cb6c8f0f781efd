import { AppError, type ParserSchema } from '@gleaner/contracts';
import type { SchemaCheck } from '../check-schema.ts';
import type { Extraction, ExtractionFailure, FieldReport, FieldTrace } from '../extraction.ts';
import type { Page } from '../page.ts';
import type { Outcome } from './pool-thread.ts';
import type { Job } from './protocol.ts';
import type { SiteStepResult, SiteWork } from './site-step.ts';
import { createScheduler, type PoolStats } from './scheduler.ts';

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
  /** Tasks that may wait; more are refused with `temporarily unavailable`. Default 1,000. */
  maxQueue?: number | undefined;
  /**
   * Of these, tasks of one owner that may wait; more are refused with `concurrency limit exceeded`. Default a quarter of
   * `maxQueue`, in the background all of it. Tasks that are killed lower it for their owner for a while.
   */
  maxQueuePerOwner?: number | undefined;
  /** Heap of one thread. Default 512. */
  maxHeapMb?: number | undefined;
  /** Tasks that a thread may hold. 1 (default) gives the shortest waits; more keep threads busy in bulk work. */
  pipeline?: number | undefined;
  /** The threads start when there is work and give way to everything else on the machine (the latter on Linux). */
  isBackground?: boolean | undefined;
  /**
   * Bodies from this size on are moved to the thread, not copied. Default a megabyte: a page that was copied runs again
   * when another one ends its thread, one that was moved is lost (`PageLostError`).
   */
  moveBytes?: number | undefined;
}

/** The page went down with a thread that another page ended: fetch it again. */
export class PageLostError extends Error {
  override name = 'PageLostError';
}

export interface ExtractRequest {
  /** Names the parser and its version: threads keep compiled parsers by it. */
  parserKey: string;
  schema: ParserSchema;
  /** The pool takes the body over: one of `moveBytes` or more is moved to the thread and is empty here afterwards. */
  page: Page;
  explain?: boolean | undefined;
  /** Gives the data that there is also when a field fails. */
  partial?: boolean | undefined;
  /** The account: accounts that wait take turns. */
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** An extraction whose data is already JSON text, for a host that only stores or sends it. */
export type JsonExtraction =
  | { ok: true; data: string; fields: FieldReport[]; explain?: FieldTrace[] }
  | {
      ok: false;
      failure: ExtractionFailure;
      fields: FieldReport[];
      data?: string;
      explain?: FieldTrace[];
    };

export interface CheckOptions {
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface SiteWorkRequest extends SiteWork {
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface ExtractionPool {
  /** Rejects only when aborted, when the pool is full or closed, with `PageLostError`, or for a fault of our own. */
  extract: (request: ExtractRequest) => Promise<Extraction>;
  extractJson: (request: ExtractRequest) => Promise<JsonExtraction>;
  check: (schema: unknown, options?: CheckOptions) => Promise<SchemaCheck>;
  /** The next step of a prebuilt API, or its answer, from the responses so far. */
  site: (request: SiteWorkRequest) => Promise<SiteStepResult>;
  stats: () => PoolStats;
  /** Ends the threads; tasks still in the pool are refused. */
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
  // A small Buffer is a view on a shared slab, all of which would be copied.
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

/** Why a job never got to a thread, when it is what was asked for that is at fault. */
function refusalOf(error: Error): string | undefined {
  return error instanceof AppError && error.code === 'invalid_request' ? error.options.detail : undefined;
}

/** What the thread wrote as JSON text; its shape is that of the job's own result. */
function parseReply<T>(json: string | undefined): T {
  return (json === undefined ? undefined : JSON.parse(json)) as T;
}

/** Threads that run extractions: what runs for ever or out of memory is killed alone, and its thread replaced. */
export function createExtractionPool({
  threads,
  timeoutMs = 10_000,
  maxQueue = 1_000,
  maxQueuePerOwner,
  maxHeapMb = 512,
  pipeline = 1,
  isBackground = false,
  spareThreads = 0,
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
  });

  /** Why a task that was killed has no result. Throws for faults of our own. */
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
    const { parserKey, schema, explain = false, partial = false, owner, signal } = request;
    const { page, transfer } = shipmentOf(request.page, moveBytes);
    const job: Job = { kind: 'extract', parserKey, schema, page, explain, partial, dataAsText };
    return scheduler.submit({ job, owner, transfer, signal });
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
      const rest = parseReply<JsonExtraction>(outcome.json);
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
    async site({ owner, signal, ...work }) {
      const outcome = await scheduler.submit({ job: { kind: 'site', ...work }, owner, signal });
      if (outcome.state === 'result') return parseReply<SiteStepResult>(outcome.json);
      return { kind: 'failure', error: { code: 'site_changed', detail: killedBecause(outcome) } };
    },
    stats: scheduler.stats,
    close: scheduler.close,
  };
}
