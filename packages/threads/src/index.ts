import type { ParserSchema } from '@gleaner/contracts';
import { isPdf, PDF_MARK } from '@gleaner/contracts/bytes';
import { AppError } from '@gleaner/contracts/errors';
import { readsPdf } from '@gleaner/contracts/parser-schema';
import type {
  SchemaCheck,
  Extraction,
  ExtractionFailure,
  FieldTrace,
  NotedReport,
  Page,
} from '@gleaner/extractors';
import type {
  AnyRulesSpec,
  CrawlRulesSpec,
  FetchedAddress,
  PageLinks,
  SourceKind,
  SourceLinks,
} from '@gleaner/extractors/crawl';
import type { PageOutline, RepairPage, RepairProposal, Suggestion, SuggestPage } from '@gleaner/learn';
import { createPdfReader, type PdfReader } from './pdf-reader.ts';
import type { Job, SiteStepResult, SiteWork } from './jobs.ts';
import type { Definition, JobResult, Learned } from './protocol.ts';
import { createScheduler, type Caller, type PoolOptions, type PoolStats } from './scheduler.ts';
import { KilledError } from './watchdog.ts';

export type { Caller, PoolOptions } from './scheduler.ts';
export { threadEnv } from './pool-thread.ts';

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
  page: Page;
  explain?: boolean | undefined;
  /** Returns the remaining data when a field fails. */
  partial?: boolean | undefined;
  /** Adds notes of the values to the reports. */
  notesValues?: boolean | undefined;
  /** Fails where nothing on the page matched, unless the schema allows it. */
  refusesEmpty?: boolean | undefined;
  /** See ExtractOptions. */
  rowsAt?: string | undefined;
  /** Adds the page's links to the result. The page is parsed once. */
  links?: LinksRequest | undefined;
}

export interface PageLinksRequest extends LinksRequest, Caller {
  page: Page;
}

export interface SourceRequest extends Pick<RulesRequest, 'rulesKey'>, Caller {
  rules: AnyRulesSpec;
  kind: SourceKind;
  body: Uint8Array;
  /** After redirects. */
  url: string;
}

/** An extraction with its data as JSON text, for a host that only stores or sends it. */
export type JsonExtraction = {
  fields: NotedReport[];
  explain?: FieldTrace[];
  /** Present for some pages, with `notesValues`. */
  structure?: number[];
  looksScripted?: true;
  relative?: Record<string, number>;
  /** When they were asked for. A page that is refused or whose extraction was killed has none. */
  links?: PageLinks;
} & ({ ok: true; data: string } | { ok: false; failure: ExtractionFailure; data?: string });

export interface ExtractionPool {
  /** Rejects only when aborted, when the pool is full or closed, or for an internal fault. */
  extract: (request: ExtractRequest) => Promise<Extraction>;
  extractJson: (request: ExtractRequest) => Promise<JsonExtraction>;
  /** The links of a page that no parser reads. */
  readLinks: (request: PageLinksRequest) => Promise<Learned<PageLinks>>;
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

/** The body alone: a small Buffer is a view of a shared slab, and sending it would copy the whole slab. */
function ownBytes(body: Uint8Array): Uint8Array {
  return body.buffer.byteLength === body.byteLength ? body : new Uint8Array(body);
}

function withOwnBytes(page: Page): Page {
  return typeof page.body === 'string' ? page : { ...page, body: ownBytes(page.body) };
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

function endedExtraction(detail: string): JsonExtraction {
  return { ok: false, failure: { code: 'extraction_failed', detail, fields: [] }, fields: [] };
}

function toExtraction(result: JobResult): JsonExtraction {
  const { data } = result;
  return { ...parse<JsonExtraction>(result), ...(data === undefined ? {} : { data }) };
}

function rulesDefinition({ rulesKey: key, rules }: { rulesKey: string; rules: AnyRulesSpec }): Definition {
  return { kind: 'rules', key, rules };
}

/** A page whose body is a PDF, with what is read of it where the schema asks for that. Threads get no PDF. */
async function readPdfOf(
  pdfs: PdfReader,
  body: Uint8Array,
  { page, schema, owner, signal }: ExtractRequest,
): Promise<Learned<Page>> {
  if (!readsPdf(schema)) return { ok: true, value: { ...page, body: PDF_MARK } };
  const read = await pdfs.read(body, { owner, signal });
  return read.ok ? { ok: true, value: { ...page, body: PDF_MARK, pdf: read.value } } : read;
}

/** The job that extracts a page, and what its thread must know. */
function extractJob(
  {
    parserKey,
    schema,
    explain = false,
    partial = false,
    notesValues = false,
    refusesEmpty = false,
    rowsAt,
    links: wanted,
  }: ExtractRequest,
  page: ExtractRequest['page'],
): { job: Job; definitions: Definition[] } {
  const links = wanted && { rulesKey: wanted.rulesKey, address: wanted.address };
  const work = { parserKey, page, explain, partial, notesValues, refusesEmpty, rowsAt, links };
  const parser: Definition = { kind: 'parser', key: parserKey, schema };
  const definitions = wanted === undefined ? [parser] : [parser, rulesDefinition(wanted)];
  return { job: { kind: 'extract', work }, definitions };
}

/** Runs extractions in threads, which start when there is work. A task that exceeds its time or memory is killed alone; its thread is replaced. */
export function createExtractionPool(options: PoolOptions): ExtractionPool {
  const { submit, stats, close } = createScheduler(options);
  const pdfs = createPdfReader();

  const extractJson = async (request: ExtractRequest): Promise<JsonExtraction> => {
    let { page } = request;
    if (typeof page.body !== 'string' && isPdf(page.body)) {
      const read = await readPdfOf(pdfs, page.body, request);
      if (!read.ok) return endedExtraction(read.detail);
      page = read.value;
    } else page = withOwnBytes(page);
    const { job, definitions } = extractJob(request, page);
    const result = submit(job, request, { definitions, bytes: page.body.length });
    return unlessKilled(result.then(toExtraction), endedExtraction);
  };

  const learn = <T>(job: Job, caller?: Caller, needs?: Parameters<typeof submit>[2]): Promise<Learned<T>> =>
    unlessKilled(submit(job, caller, needs).then(parse<Learned<T>>), (detail) => ({ ok: false, detail }));

  const readLinks: ExtractionPool['readLinks'] = (request) => {
    const { rulesKey, address } = request;
    const page = withOwnBytes(request.page);
    const needs = { definitions: [rulesDefinition(request)], bytes: page.body.length };
    return learn({ kind: 'links', work: { rulesKey, address, page } }, request, needs);
  };

  const readSource: ExtractionPool['readSource'] = (request) => {
    const { rulesKey, kind, body, url } = request;
    const work = { rulesKey, kind, body: ownBytes(body), url };
    const needs = { definitions: [rulesDefinition(request)], bytes: body.length };
    const result = submit({ kind: 'source', work }, request, needs);
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
    async close() {
      pdfs.close();
      await close();
    },
  };
}
