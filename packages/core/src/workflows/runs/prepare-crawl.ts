import { invalid } from '../../platform/invalid-request.ts';
import {
  DEFAULT_CRAWL_PAGES,
  MAX_WORKFLOW_TASKS,
  type Crawl,
  type CrawlKind,
  type CrawlRoute,
  type KeepPages,
  type ScrapeConfig,
} from '@gleaner/contracts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import type { RunAuthor } from '../../runs/submission/run-origin.ts';
import { listInputs } from '../../runs/submission/run-inputs.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { planParts } from '../plan-workflow.ts';
import { crawlParts } from '../stage-parts.ts';
import { checkRoot, prepareRoot, type RootPlan } from './create-stages.ts';

/** A crawl or a map that is not saved. */
export interface CrawlSubmission {
  accountId: string;
  by?: RunAuthor | undefined;
  kind: CrawlKind;
  name?: string | undefined;
  start: readonly string[];
  crawl: Crawl;
  /** A map has none. */
  routes: readonly CrawlRoute[];
  limits: { pages?: number | undefined; credits?: number | undefined };
  config?: ScrapeConfig | undefined;
  keepPages?: KeepPages | undefined;
  /** Receives the event of the run's end, beside the account's webhooks. */
  webhookUrl?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The limit on pages: never more than the account may have unfinished. @throws AppError invalid_request */
async function readLimit({ db }: SubmitServices, { accountId, limits }: CrawlSubmission): Promise<number> {
  const [row] = await db.sql<{ most: number }[]>`
    SELECT pending_limit AS most FROM gleaner.accounts WHERE latest_of = ${accountId}
    ORDER BY generation DESC LIMIT 1`;
  const most = row?.most ?? DEFAULT_CRAWL_PAGES;
  const { pages = Math.min(DEFAULT_CRAWL_PAGES, most) } = limits;
  if (pages <= most) return pages;
  throw invalid(
    'limits.pages',
    `is more than the account may have unfinished at once: ${most}`,
    'Ask the operator to raise pending_limit.',
  );
}

/** The crawl with its routes resolved. @throws AppError not_found, invalid_request, temporarily_unavailable */
async function planCrawl(services: SubmitServices, submission: CrawlSubmission): Promise<RootPlan> {
  const { accountId, by, kind, name, start, crawl, routes, limits, config, webhookUrl, signal } = submission;
  const { keepPages } = submission;
  const limit = await readLimit(services, submission);
  const parts = crawlParts(kind, { crawl, routes, config, limit, keepPages }, { stage: 0, at: '' });
  // None takes results of another one.
  const graph = parts.map((part, place) => ({ ...part, place, sources: [], own: [] }));
  return {
    accountId,
    by,
    kind,
    name: name ?? null,
    workflow: null,
    webhookUrl,
    maxTasks: MAX_WORKFLOW_TASKS,
    maxCredits: limits.credits,
    stages: await planParts(services, accountId, graph),
    inputs: () => listInputs('start', start),
    signal,
  };
}

/** Checks everything about a crawl as `prepareCrawl` does, and stores nothing. @throws AppError as `prepareCrawl` */
export async function checkCrawl(services: SubmitServices, submission: CrawlSubmission): Promise<void> {
  await checkRoot(services, await planCrawl(services, submission));
}

/**
 * Does the slow parts of a crawl and those that need other systems: resolves the routes, tries their sinks, reads the
 * start pages. It opens its own connections, so call it before you open a transaction.
 * @throws AppError not_found, invalid_request, temporarily_unavailable
 */
export async function prepareCrawl(
  services: SubmitServices,
  submission: CrawlSubmission,
): Promise<PreparedRun> {
  return prepareRoot(services, await planCrawl(services, submission));
}
