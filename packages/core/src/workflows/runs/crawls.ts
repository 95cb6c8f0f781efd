import { AppError, CRAWL_KINDS } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import type { ExtractionServices } from '../../parsers/check-parser-schema.ts';
import type { Context, OutputOf, Perform } from '../../platform/context.ts';
import { submitServicesOf, type RunServices } from '../../runs/submission/run-services.ts';
import { submitRun } from '../../runs/submission/submit-run.ts';
import { checkRoutes } from '../check-routes.ts';
import { prepareCrawl, type CrawlSubmission } from './prepare-crawl.ts';
import { readRunPage } from './read-workflow-runs.ts';
import { readWorkflowRunRecord } from './workflow-run-record.ts';

type CrawlServices = RunServices & ExtractionServices;

async function startCrawl(
  ctx: Context<CrawlServices>,
  submission: Omit<CrawlSubmission, 'accountId' | 'signal'>,
): Promise<OutputOf<'createCrawl'>> {
  const { accountId, signal } = ctx;
  const caller = { owner: accountId, signal };
  const routes = await checkRoutes(ctx.services.pool, submission.routes, { at: '' }, caller);
  const run = await prepareCrawl(submitServicesOf(ctx), { ...submission, routes, accountId, signal });
  return submitRun(ctx, run, (tx) => readWorkflowRunRecord(tx, accountId, run.id));
}

/**
 * Starts a crawl; a dry run is a map of what it would begin with.
 * @throws AppError invalid_request, not_found, insufficient_credits, pending_limit, plan_limit_exceeded
 */
export const createCrawl: Perform<'createCrawl', CrawlServices> = (ctx, { body }) => {
  const { name, start, crawl, routes, limits, scrape_config: config, webhook_url: webhookUrl } = body;
  const common = { name, start, limits, config, webhookUrl };
  if (body.dry_run !== true) return startCrawl(ctx, { ...common, kind: 'crawl', crawl, routes });
  const sources = { ...crawl.sources, links: false };
  return startCrawl(ctx, { ...common, kind: 'map', crawl: { ...crawl, sources }, routes: [] });
};

/** @throws AppError invalid_request, insufficient_credits, pending_limit, plan_limit_exceeded */
export const createMap: Perform<'createMap', CrawlServices> = (ctx, { body }) => {
  const { scrape_config: config, webhook_url: webhookUrl, ...rest } = body;
  return startCrawl(ctx, { ...rest, config, webhookUrl, kind: 'map', routes: [] });
};

export const listCrawls: Perform<'listCrawls'> = async (ctx, { query }) => {
  const kinds = query.kind === undefined ? CRAWL_KINDS : [query.kind];
  const { items, pagination } = await readRunPage(ctx, query, sql`w.kind IN ${kinds}`);
  return { crawls: items, pagination };
};

/** @throws AppError not_found: also of a run of a workflow */
export const getCrawl: Perform<'getCrawl'> = async (ctx, { params }) => {
  const record = await readWorkflowRunRecord(ctx.services.db.orm, ctx.accountId, params.id);
  if (record.kind === 'workflow') throw new AppError('not_found');
  return record;
};
