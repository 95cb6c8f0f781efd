import type { ApiId, ParserSchema, StoredError } from '@gleaner/contracts';
import { AppError, toStoredError } from '@gleaner/contracts/errors';
import { ExtractionStopped, PageRejected } from '@gleaner/html';
import { LRUCache } from 'lru-cache';
import {
  checkSchema,
  compileParser,
  noteValues,
  parsePage,
  type CompiledParser,
  type Page,
  type SchemaCheck,
} from '@gleaner/extractors';
import type { CrawlRules, FetchedAddress, SourceKind } from '@gleaner/extractors/crawl';
import { extractParsed, parsePageTree } from '@gleaner/extractors/parts';
import type { SiteInput, SiteResponse, SitesConfig, SiteStep } from '@gleaner/extractors/sites';
import type { RepairPage, SuggestPage } from '@gleaner/learn';
import {
  jsonOf,
  KEPT_DEFINITIONS,
  TOO_DEEP,
  type Definition,
  type JobResult,
  type Learned,
} from './protocol.ts';

/** What a crawl reads of a page. */
interface LinksWork {
  rulesKey: string;
  address: FetchedAddress;
}

interface ExtractWork {
  parserKey: string;
  page: Page;
  explain: boolean;
  partial: boolean;
  /** Add notes of the values to the reports of the fields. */
  notesValues: boolean;
  refusesEmpty: boolean;
  rowsAt: string | undefined;
  /** Read the page's links too, for a crawl. */
  links: LinksWork | undefined;
}

/** A robots.txt, a sitemap or a feed of a crawl. */
interface SourceWork {
  rulesKey: string;
  kind: SourceKind;
  body: Uint8Array;
  /** After redirects. */
  url: string;
}

/** One step of a prebuilt API's plan: the input and the responses so far. */
export interface SiteWork {
  id: ApiId;
  input: SiteInput;
  config: SitesConfig;
  responses: readonly SiteResponse[];
}

/** The next request of a prebuilt API, or its outcome with the data as JSON text. */
export type SiteStepResult =
  | Extract<SiteStep, { kind: 'fetch' }>
  | { kind: 'answer'; json: string }
  | { kind: 'failure'; error: StoredError };

/** A parser's first pages get a fingerprint of their structure, then one in so many: it costs as much as all notes. */
const FIRST_STRUCTURES = 4;
const PAGES_PER_STRUCTURE = 8;

interface KeptParser {
  parser: CompiledParser;
  notedPages: number;
}

/** Whether the next page of the parser gets a fingerprint. */
function isStructureDue(kept: KeptParser): boolean {
  const before = kept.notedPages;
  kept.notedPages += 1;
  return before < FIRST_STRUCTURES || before % PAGES_PER_STRUCTURE === 0;
}

/** The compiled definitions that were used last. */
function createKept() {
  const parsers = new LRUCache<string, KeptParser>({ max: KEPT_DEFINITIONS.parser });
  const crawls = new LRUCache<string, CrawlRules>({ max: KEPT_DEFINITIONS.rules });
  const find = <T extends object>(kept: LRUCache<string, T>, key: string): T => {
    const found = kept.get(key);
    if (found === undefined) throw new Error(`the thread has no definition ${key}`);
    return found;
  };
  return {
    parser: (key: string) => find(parsers, key),
    rules: (key: string) => find(crawls, key),
    /** @throws AppError invalid_request for a faulty definition */
    add: async (definition: Definition): Promise<void> => {
      const { key } = definition;
      if (definition.kind === 'parser') {
        if (!parsers.has(key)) parsers.set(key, { parser: compileParser(definition.schema), notedPages: 0 });
      } else if (!crawls.has(key)) {
        const { compileRules } = await import('@gleaner/extractors/crawl');
        crawls.set(key, compileRules(definition.rules));
      }
    },
  };
}

/** Pages past the engine's limits are a result, not a fault of ours. */
async function learn<T>(work: () => T | Promise<T>): Promise<Learned<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const isThePages =
      error instanceof PageRejected || error instanceof ExtractionStopped || error instanceof RangeError;
    if (!isThePages) throw error;
    return { ok: false, detail: `a page can't be read: ${error.message}` };
  }
}

/** A thread's stack is larger than the host's, so values that could be sent are rarely too deep. */
function checkDeep(schema: unknown): SchemaCheck {
  try {
    return checkSchema(schema);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, faults: [{ path: '', reason: TOO_DEEP }] };
  }
}

async function nextSiteStep({ id, input, config, responses }: SiteWork): Promise<SiteStepResult> {
  const { nextStep, siteError } = await import('@gleaner/extractors/sites');
  const step = nextStep(id, input, config, responses);
  if (step.kind === 'fetch') return step;
  if (step.outcome.outcome === 'ok') return { kind: 'answer', json: JSON.stringify(step.outcome.data) };
  const error = siteError(step.outcome) ?? new AppError('internal');
  return { kind: 'failure', error: toStoredError(error) };
}

/** The functions that run jobs, with the definitions of one thread. Most threads only extract, so the others' code is loaded late. */
export function createHandlers() {
  const kept = createKept();
  const result = async (value: unknown): Promise<JobResult> => ({ json: jsonOf(await value) });

  const extract = async (work: ExtractWork): Promise<JobResult> => {
    const { page, explain, partial, notesValues, refusesEmpty, rowsAt, links: linked } = work;
    const parser = kept.parser(work.parserKey);
    const document = parsePage(page);
    const structure = notesValues && isStructureDue(parser);
    const options = { explain, partial, structure, refusesEmpty, rowsAt };
    const extraction = extractParsed(parser.parser, document, page, options);
    const { data, ...report } = extraction;
    const links =
      linked === undefined || 'reason' in document
        ? {}
        : {
            links: (await import('@gleaner/extractors/crawl')).readLinks(
              document,
              linked.address,
              kept.rules(linked.rulesKey),
            ),
          };
    try {
      if (notesValues && data !== undefined) report.fields = noteValues(extraction);
      const json = jsonOf({ ...report, ...links });
      return data === undefined ? { json } : { json, data: jsonOf(data) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const failure = { code: 'extraction_failed', detail: error.message, fields: [] };
      return result({ ok: false, failure, fields: extraction.fields, ...links });
    }
  };

  const handlers = {
    extract,
    links: async ({ rulesKey, address, page }: LinksWork & { page: Page }) => {
      const { readLinks } = await import('@gleaner/extractors/crawl');
      const rules = kept.rules(rulesKey);
      const read = () => readLinks(parsePageTree(page), address, rules);
      return result(learn(read));
    },
    source: async ({ rulesKey, kind, body, url }: SourceWork) => {
      const { readSource } = await import('@gleaner/extractors/crawl');
      return result(readSource(kind, body, url, kept.rules(rulesKey)));
    },
    check: ({ schema }: { schema: unknown }) => result(checkDeep(schema)),
    suggest: ({ pages }: { pages: readonly SuggestPage[] }) =>
      result(learn(async () => (await import('@gleaner/learn')).suggestSchema(pages))),
    outline: ({ page, maxCharacters }: { page: Page; maxCharacters: number }) =>
      result(learn(async () => (await import('@gleaner/learn')).outlinePage(page, maxCharacters))),
    repair: ({ schema, pages }: { schema: ParserSchema; pages: readonly RepairPage[] }) =>
      result(learn(async () => (await import('@gleaner/learn')).proposeRepair(schema, pages))),
    site: (work: SiteWork) => result(nextSiteStep(work)),
  };
  return { define: kept.add, handlers };
}

type Created = ReturnType<typeof createHandlers>['handlers'];
export type JobKind = keyof Created;
/** The input of each kind of job. */
type WorkOf = { [K in JobKind]: Parameters<Created[K]>[0] };
export type Handlers = { [K in JobKind]: (work: WorkOf[K]) => Promise<JobResult> };

/** A job for a thread. */
export type Job<K extends JobKind = JobKind> = { [P in K]: { kind: P; work: WorkOf[P] } }[K];

export interface Request {
  id: number;
  job: Job;
  /** Definitions of the job that the thread may not have. */
  definitions: readonly Definition[];
}
