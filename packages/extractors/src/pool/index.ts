import type { ParserSchema } from '@gleaner/contracts';
import { AppError } from '@gleaner/contracts/errors';
import type { SchemaCheck } from '../check-schema.ts';
import type {
  AnyRulesSpec,
  CrawlRulesSpec,
  FetchedAddress,
  PageLinks,
  SourceKind,
  SourceLinks,
} from '../crawl/index.ts';
import type { Extraction, ExtractionFailure, FieldTrace } from '../extraction.ts';
import type { NotedReport } from '../output/note-values.ts';
import type { PageOutline } from '../outline/outline-page.ts';
import type { Page } from '../page.ts';
import type { RepairPage, RepairProposal } from '../suggest/repair.ts';
import type { Suggestion, SuggestPage } from '../suggest/types.ts';
import type { ExtractWork } from './extract-job.ts';
import type { Job, SiteStepResult, SiteWork } from './jobs.ts';
import type { Learned } from './learned.ts';
import type { Caller, PoolOptions } from './options.ts';
import type { JobResult } from './protocol.ts';
import { createScheduler, type PoolStats } from './scheduler.ts';
import { KilledError } from './watchdog.ts';

export type { Caller, PoolOptions } from './options.ts';
export { PageLostError } from './scheduler.ts';
export { threadEnv } from './thread-env.ts';

export interface RulesRequest {
  /** Identifies the rules. Threads cache compiled rules by this key. */
  rulesKey: string;
  rules: CrawlRulesSpec;
}

/** What a crawl reads of a page. */
export interface LinksRequest extends RulesRequest {
  address: FetchedAddress;
}

export interface ExtractRequest extends Caller {
  /** Identifies the parser and its version. Threads cache compiled parsers by this key. */
  parserKey: string;
  schema: ParserSchema;
  /** The pool takes the body over: a body of at least `moveBytes` is moved to the thread and is empty afterwards. */
  page: Page;
  explain?: boolean | undefined;
  /** Returns the remaining data when a field fails. */
  partial?: boolean | undefined;
  /** Adds notes of the values to the reports. */
  notesValues?: boolean | undefined;
  /** Makes `body` part of the result: the page's bytes, when they were moved. A page that was killed gives none. */
  returnsBody?: 'failed' | 'always' | undefined;
  /** Adds the page's links to the result. The page is parsed once. */
  links?: LinksRequest | undefined;
}

export interface PageLinksRequest extends LinksRequest, Caller {
  /** Taken over by the pool, as that of an extraction. */
  page: Page;
  /** Makes `body` part of the result, as in an extraction. */
  returnsBody?: boolean | undefined;
}

export interface SourceRequest extends Pick<RulesRequest, 'rulesKey'>, Caller {
  rules: AnyRulesSpec;
  kind: SourceKind;
  /** Taken over by the pool, as a page is. */
  body: Uint8Array;
  /** After redirects. */
  url: string;
}

/** An extraction with its data as JSON text, for a host that only stores or sends it. */
export type JsonExtraction = {
  fields: NotedReport[];
  explain?: FieldTrace[];
  /** Of some pages, with `notesValues`. */
  structure?: number[];
  body?: Uint8Array;
  /** When they were asked for. A page that is refused or whose extraction was killed has none. */
  links?: PageLinks;
} & ({ ok: true; data: string } | { ok: false; failure: ExtractionFailure; data?: string });

export interface ExtractionPool {
  /** Rejects only when aborted, when the pool is full or closed, with `PageLostError`, or for an internal fault. */
  extract: (request: ExtractRequest) => Promise<Extraction>;
  extractJson: (request: ExtractRequest) => Promise<JsonExtraction>;
  /** The links of a page that no parser reads. */
  readLinks: (request: PageLinksRequest) => Promise<Learned<PageLinks> & { body?: Uint8Array }>;
  /** The addresses that a robots.txt, a sitemap or a feed gives. */
  readSource: (request: SourceRequest) => Promise<SourceLinks>;
  check: (schema: unknown, caller?: Caller) => Promise<SchemaCheck>;
  /** A schema from one to five pages with or without examples. */
  suggest: (pages: readonly SuggestPage[], caller?: Caller) => Promise<Learned<Suggestion>>;
  /** What a page holds and how to select it, as JSON of at most `maxCharacters`. */
  outline: (page: Page, maxCharacters: number, caller?: Caller) => Promise<Learned<PageOutline>>;
  /** A schema whose broken fields are learned again from the rows that the parser gave before. */
  repair: (
    schema: ParserSchema,
    pages: readonly RepairPage[],
    caller?: Caller,
  ) => Promise<Learned<RepairProposal>>;
  /** The next step of a prebuilt API, or its outcome, from the responses so far. */
  site: (request: SiteWork & Caller) => Promise<SiteStepResult>;
  stats: () => PoolStats;
  /** Ends the threads and rejects the tasks still in the pool. */
  close: () => Promise<void>;
}

const MEGABYTE = 1024 ** 2;

function shipBytes(body: Uint8Array, moveBytes: number): { body: Uint8Array; transfer: ArrayBuffer[] } {
  // A small Buffer is a view of a shared slab, and sending it would copy the whole slab.
  const own = body.buffer.byteLength === body.byteLength ? body : new Uint8Array(body);
  const isMoved = own.byteLength >= moveBytes && own.buffer instanceof ArrayBuffer;
  return { body: own, transfer: isMoved ? [own.buffer] : [] };
}

function shipPage(page: Page, moveBytes: number): { page: Page; transfer: ArrayBuffer[] } {
  if (typeof page.body === 'string') return { page, transfer: [] };
  const { body, transfer } = shipBytes(page.body, moveBytes);
  return { page: { ...page, body }, transfer };
}

/** Parses the thread's JSON text, which has the shape of the job's result. */
function parse<T>({ json }: JobResult): T {
  return JSON.parse(json) as T;
}

/** The job's result, or what stands for it when its thread was killed. */
async function unlessKilled<T>(work: Promise<T>, whenKilled: (detail: string) => T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KilledError) return whenKilled(error.message);
    throw error;
  }
}

function killedExtraction(detail: string): JsonExtraction {
  return { ok: false, failure: { code: 'extraction_failed', detail, fields: [] }, fields: [] };
}

/** The result with the page's bytes, if the thread gave them back. */
function withBody<T>(result: JobResult): T & { body?: Uint8Array } {
  const { body } = result;
  return { ...parse<T>(result), ...(body === undefined ? {} : { body }) };
}

function toExtraction(result: JobResult): JsonExtraction {
  const { data } = result;
  return { ...withBody<JsonExtraction>(result), ...(data === undefined ? {} : { data }) };
}

/** Runs extractions in threads, which start when there is work. A task that exceeds its time or memory is killed alone; its thread is replaced. */
export function createExtractionPool({ moveBytes = MEGABYTE, ...options }: PoolOptions): ExtractionPool {
  const { submit, stats, close } = createScheduler(options);

  const extractJson = (request: ExtractRequest): Promise<JsonExtraction> => {
    const { parserKey, schema, explain = false, partial = false, notesValues = false, links } = request;
    const { page, transfer } = shipPage(request.page, moveBytes);
    const returnsBody = transfer.length > 0 ? request.returnsBody : undefined;
    const work: ExtractWork = { parserKey, schema, page, explain, partial, notesValues, returnsBody, links };
    const result = submit({ kind: 'extract', work }, request, transfer);
    return unlessKilled(result.then(toExtraction), killedExtraction);
  };

  const learn = <T>(job: Job, caller?: Caller): Promise<Learned<T>> =>
    unlessKilled(submit(job, caller).then(parse<Learned<T>>), (detail) => ({ ok: false, detail }));

  const readLinks: ExtractionPool['readLinks'] = ({ owner, signal, rulesKey, rules, address, ...rest }) => {
    const { page, transfer } = shipPage(rest.page, moveBytes);
    const returnsBody = transfer.length > 0 && rest.returnsBody === true;
    const work = { rulesKey, rules, address, page, returnsBody };
    const result = submit({ kind: 'links', work }, { owner, signal }, transfer);
    return unlessKilled(result.then(withBody<Learned<PageLinks>>), (detail) => ({ ok: false, detail }));
  };

  const readSource: ExtractionPool['readSource'] = ({ owner, signal, body, ...rest }) => {
    const { body: own, transfer } = shipBytes(body, moveBytes);
    const work = { ...rest, body: own };
    const result = submit({ kind: 'source', work }, { owner, signal }, transfer);
    return unlessKilled(result.then(parse<SourceLinks>), (fault) => ({ lines: [], fault }));
  };

  return {
    extractJson,
    readLinks,
    readSource,
    async extract(request) {
      const { data, ...rest } = await extractJson(request);
      return { ...rest, ...(data === undefined ? {} : { data: JSON.parse(data) }) } as Extraction;
    },
    async check(schema, caller) {
      const refuse = (reason: string): SchemaCheck => ({ ok: false, faults: [{ path: '', reason }] });
      try {
        return await unlessKilled(
          submit({ kind: 'check', work: { schema } }, caller).then(parse<SchemaCheck>),
          refuse,
        );
      } catch (error) {
        const isNotCopied = error instanceof AppError && error.code === 'invalid_request';
        if (isNotCopied && error.options.detail !== undefined) return refuse(error.options.detail);
        throw error;
      }
    },
    suggest: (pages, caller) => learn({ kind: 'suggest', work: { pages } }, caller),
    outline: (page, maxCharacters, caller) =>
      learn({ kind: 'outline', work: { page, maxCharacters } }, caller),
    repair: (schema, pages, caller) => learn({ kind: 'repair', work: { schema, pages } }, caller),
    site: ({ owner, signal, ...work }) =>
      unlessKilled(
        submit({ kind: 'site', work }, { owner, signal }).then(parse<SiteStepResult>),
        (detail) => ({ kind: 'failure', error: { code: 'site_changed', detail } }),
      ),
    stats,
    close,
  };
}
