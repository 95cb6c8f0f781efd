import { invalid } from '../../platform/invalid-request.ts';
import {
  DEFAULT_CRAWL_PAGES,
  MAX_WORKFLOW_TASKS,
  type Crawl,
  type CrawlKind,
  type CrawlRoute,
  type ScrapeConfig,
} from '@gleaner/contracts';
import { storeInputs } from '../../runs/submission/prepare-run.ts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import { listInputs } from '../../runs/submission/run-inputs.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { planParts, trySinks, type PlannedStage } from '../plan-workflow.ts';
import { withoutSources } from '../stage-graph.ts';
import { crawlParts } from '../stage-parts.ts';
import { createStages, takeNumbers, type RootPlan } from './create-stages.ts';
import { mostInputs } from './prepare-workflow-run.ts';

/** A crawl or a map that is not saved. */
export interface CrawlSubmission {
  accountId: string;
  kind: CrawlKind;
  name?: string | undefined;
  start: readonly string[];
  crawl: Crawl;
  /** A map has none. */
  routes: readonly CrawlRoute[];
  limits: { pages?: number | undefined; credits?: number | undefined };
  config?: ScrapeConfig | undefined;
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

async function planCrawl(services: SubmitServices, submission: CrawlSubmission): Promise<PlannedStage[]> {
  const { accountId, kind, crawl, routes, config } = submission;
  const limit = await readLimit(services, submission);
  const parts = crawlParts(kind, { crawl, routes, config, limit }, { stage: 0, at: '' });
  return planParts(services, accountId, withoutSources(parts));
}

function toRootPlan(
  { accountId, kind, name, webhookUrl, limits }: CrawlSubmission,
  stages: readonly PlannedStage[],
): RootPlan {
  return {
    accountId,
    kind,
    name: name ?? null,
    workflow: null,
    webhookUrl,
    maxTasks: MAX_WORKFLOW_TASKS,
    maxCredits: limits.credits,
    stages,
  };
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
  const { accountId, name, start, limits, signal } = submission;
  const stages = await planCrawl(services, submission);
  const [pages] = stages;
  if (!pages) throw new Error('a crawl has pages');
  const numbered = await takeNumbers(services, stages);
  await trySinks(services, { id: numbered.root.id, accountId }, stages);
  const inputs = {
    id: numbered.root.id,
    submission: {
      accountId,
      origin: { type: 'crawl' as const, name: name ?? null },
      bounds: { dedupe: true, maxInputs: mostInputs(pages), maxCredits: limits.credits },
      signal,
    },
    target: pages.resolved,
    inputs: listInputs('start', start),
    sink: undefined,
  };
  const { read, discard } = await storeInputs(services, inputs, numbered.numbers[0]);
  return {
    id: numbered.root.id,
    create: (tx) => createStages(services, tx, toRootPlan(submission, stages), { ...numbered, ...read }),
    discard,
  };
}
