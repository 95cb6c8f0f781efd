import type { ApiId, ParserSchema, StoredError } from '@gleaner/contracts';
import { AppError, toStoredError } from '@gleaner/contracts/errors';
import { checkSchema, type SchemaCheck } from '../check-schema.ts';
import type { PageOutline } from '../outline/outline-page.ts';
import type { Page } from '../page.ts';
import type { SiteInput, SiteResponse, SitesConfig, SiteStep } from '../sites/types.ts';
import type { RepairPage, RepairProposal } from '../suggest/repair.ts';
import type { Suggestion, SuggestPage } from '../suggest/types.ts';
import { createExtractor } from './extract-job.ts';
import { createCrawlHandlers } from './crawl-jobs.ts';
import { learn } from './learned.ts';
import { jsonOf, TOO_DEEP, type JobResult } from './protocol.ts';

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
  const { nextStep, siteError } = await import('../sites/index.ts');
  const step = nextStep(id, input, config, responses);
  if (step.kind === 'fetch') return step;
  if (step.outcome.outcome === 'ok') return { kind: 'answer', json: JSON.stringify(step.outcome.data) };
  const error = siteError(step.outcome) ?? new AppError('internal');
  return { kind: 'failure', error: toStoredError(error) };
}

/** The functions that run jobs, with the caches of one thread. Most threads only extract, so the others' code is loaded late. */
export function createHandlers() {
  const result = async (value: unknown): Promise<JobResult> => ({ json: jsonOf(await value) });
  const crawls = createCrawlHandlers();
  return {
    extract: createExtractor(crawls.linkReader),
    links: crawls.links,
    source: crawls.source,
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
