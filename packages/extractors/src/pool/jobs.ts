import { AppError, toStoredError, type ApiId, type ParserSchema, type StoredError } from '@gleaner/contracts';
import { ExtractionStopped, PageRejected } from '@gleaner/html';
import { LRUCache } from 'lru-cache';
import { checkSchema, compileParser, type SchemaCheck } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import type { CompiledParser } from '../engine/types.ts';
import type { Extraction } from '../extraction.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { PageOutline } from '../outline/types.ts';
import { noteValues } from '../output/note-values.ts';
import type { Page } from '../page.ts';
import type { SiteInput, SiteResponse, SitesConfig, SiteStep } from '../sites/types.ts';
import type { RepairPage, RepairProposal } from '../suggest/repair.ts';
import type { Suggestion, SuggestPage } from '../suggest/types.ts';
import { CACHED_PARSERS, TOO_DEEP, type JobResult } from './protocol.ts';

export interface ExtractWork {
  parserKey: string;
  /** Left out when the thread already has it. */
  schema: ParserSchema | undefined;
  page: Page;
  explain: boolean;
  partial: boolean;
  /** Add notes of the values to the reports of the fields. */
  notesValues: boolean;
  /** Give the page's bytes back when it was moved here: `failed`, when fields fail. */
  returnsBody: 'failed' | 'always' | undefined;
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

/** What learning from pages gives, or why the pages could not be read. */
export type Learned<T> = { ok: true; value: T } | { ok: false; detail: string };

/** The process copies the text twice, so its length is checked here. @throws RangeError when it is too long */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (json.length > RESULT_LIMITS.jsonText)
    throw new RangeError(
      `the result has more than ${RESULT_LIMITS.jsonText.toLocaleString('en')} characters as JSON`,
    );
  return json;
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

/** Pages past the engine's limits are a result, not a fault of ours. */
async function learn<T>(work: () => Promise<T>): Promise<Learned<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const isThePages =
      error instanceof PageRejected || error instanceof ExtractionStopped || error instanceof RangeError;
    if (!isThePages) throw error;
    return { ok: false, detail: `a page can't be read: ${error.message}` };
  }
}

async function nextSiteStep({ id, input, config, responses }: SiteWork): Promise<SiteStepResult> {
  const { nextStep, siteError } = await import('../sites/index.ts');
  const step = nextStep(id, input, config, responses);
  if (step.kind === 'fetch') return step;
  if (step.outcome.outcome === 'ok') return { kind: 'answer', json: JSON.stringify(step.outcome.data) };
  const error = siteError(step.outcome) ?? new AppError('internal');
  return { kind: 'failure', error: toStoredError(error) };
}

/** A parser's first pages get a fingerprint of their structure, then one in so many: it costs as much as all notes. */
const FIRST_STRUCTURES = 4;
const PAGES_PER_STRUCTURE = 8;

/** Extracts, and keeps the compiled parsers that were used last. */
function createExtractor() {
  const parsers = new LRUCache<string, { parser: CompiledParser; notedPages: number }>({
    max: CACHED_PARSERS,
  });

  const run = ({ parserKey, schema, page, explain, partial, notesValues }: ExtractWork): Extraction => {
    let entry = parsers.get(parserKey);
    if (entry === undefined) {
      if (schema === undefined) throw new Error(`the thread has no parser ${parserKey}`);
      entry = { parser: compileParser(schema), notedPages: 0 };
      parsers.set(parserKey, entry);
    }
    const isDue = entry.notedPages < FIRST_STRUCTURES || entry.notedPages % PAGES_PER_STRUCTURE === 0;
    if (notesValues) entry.notedPages += 1;
    return extract(entry.parser, page, { explain, partial, structure: notesValues && isDue });
  };

  return (work: ExtractWork): JobResult => {
    const extraction = run(work);
    const { data, ...rest } = extraction;
    const isReturned = work.returnsBody === 'always' || (work.returnsBody === 'failed' && !extraction.ok);
    const body = isReturned && typeof work.page.body !== 'string' ? { body: work.page.body } : {};
    try {
      if (data === undefined) return { json: jsonOf(rest), ...body };
      if (work.notesValues) rest.fields = noteValues(extraction);
      return { json: jsonOf(rest), data: jsonOf(data), ...body };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const failure = { code: 'extraction_failed', detail: error.message, fields: [] };
      return { json: jsonOf({ ok: false, failure, fields: extraction.fields }), ...body };
    }
  };
}

/** The functions that run jobs, with the caches of one thread. Most threads only extract, so the others' code is loaded late. */
export function createHandlers() {
  const result = async (value: unknown): Promise<JobResult> => ({ json: jsonOf(await value) });
  return {
    extract: createExtractor(),
    check: ({ schema }: { schema: unknown }) => result(checkDeep(schema)),
    suggest: ({ pages }: { pages: readonly SuggestPage[] }) =>
      result(learn<Suggestion>(async () => (await import('../suggest/suggest.ts')).suggestSchema(pages))),
    outline: ({ page, maxCharacters }: { page: Page; maxCharacters: number }) =>
      result(
        learn<PageOutline>(async () =>
          (await import('../outline/outline-page.ts')).outlinePage(page, maxCharacters),
        ),
      ),
    repair: ({ schema, pages }: { schema: ParserSchema; pages: readonly RepairPage[] }) =>
      result(
        learn<RepairProposal>(async () =>
          (await import('../suggest/repair.ts')).proposeRepair(schema, pages),
        ),
      ),
    site: (work: SiteWork) => result(nextSiteStep(work)),
  };
}

type Created = ReturnType<typeof createHandlers>;
export type JobKind = keyof Created;
/** The input of each kind of job. */
type WorkOf = { [K in JobKind]: Parameters<Created[K]>[0] };
export type Handlers = { [K in JobKind]: (work: WorkOf[K]) => JobResult | Promise<JobResult> };

/** A job for a thread. */
export type Job<K extends JobKind = JobKind> = { [P in K]: { kind: P; work: WorkOf[P] } }[K];

export interface Request {
  id: number;
  job: Job;
}
