import { AppError, CRAWL_KINDS, READING_ROUTE, type CrawlRoute } from '@gleaner/contracts';
import { NEWEST_ADDRESS_RULE } from '@gleaner/contracts/values';
import type { CrawlRulesSpec } from '@gleaner/extractors/crawl';
import { ENGINE, type Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import type { ExtractionServices } from '../../parsers/check-parser-schema.ts';
import type { StoredConfig } from '../../platform/secrets/sealed-config.ts';
import type { Context, OutputOf, Perform } from '../../platform/context.ts';
import { toShownConfig } from '../../runs/submission/run-record.ts';
import { submitServicesOf, type RunServices } from '../../runs/submission/run-services.ts';
import { submitRun } from '../../runs/submission/prepare-run.ts';
import type { RunConfig } from '../../runs/tasks/run-config.ts';
import { checkRoutes } from '../change-workflows.ts';
import { checkCrawl, prepareCrawl, type CrawlSubmission } from './prepare-crawl.ts';
import { readRunPage } from './read-workflow-runs.ts';
import { readWorkflowRunRecord } from './workflow-run-record.ts';

type CrawlServices = RunServices & ExtractionServices;

/**
 * A map that follows no links is free, so what such maps of an account find in a day is limited.
 * @throws AppError plan_limit_exceeded
 */
async function requireFreeAddresses(tx: Transaction, accountId: string): Promise<void> {
  const [row] = await tx.execute<{ left: number }>(sql`
    SELECT ${sql.identifier(ENGINE)}.free_addresses(${accountId}) AS left`);
  if ((row?.left ?? 0) > 0) return;
  throw new AppError('plan_limit_exceeded', {
    detail: 'free maps of the account found 1,000,000 addresses within a day',
    hint: 'Wait, or let the map follow links, which costs credits.',
    retryAfterSeconds: 3_600,
  });
}

/** What a call says of a crawl or a map. */
type GivenCrawl = Omit<CrawlSubmission, 'accountId' | 'by' | 'signal'>;

/** @throws AppError invalid_request with the exact field of a route's schema */
async function toSubmission(ctx: Context<CrawlServices>, given: GivenCrawl): Promise<CrawlSubmission> {
  const { accountId, keyId, signal } = ctx;
  const routes = await checkRoutes(ctx, given.routes, '');
  const crawl = { addresses: NEWEST_ADDRESS_RULE, ...given.crawl };
  return { ...given, crawl, routes, accountId, by: { keyId }, signal };
}

async function startCrawl(ctx: Context<CrawlServices>, given: GivenCrawl): Promise<OutputOf<'createCrawl'>> {
  const { accountId } = ctx;
  const submission = await toSubmission(ctx, given);
  const run = await prepareCrawl(submitServicesOf(ctx), submission);
  return submitRun(ctx, run, async (tx) => {
    if (submission.kind === 'map' && !submission.crawl.sources.links)
      await requireFreeAddresses(tx, accountId);
    return readWorkflowRunRecord(tx, accountId, run.id);
  });
}

const READING: readonly CrawlRoute[] = [{ ...READING_ROUTE, follow: true }];

/**
 * Starts a crawl; a dry run refuses what it would, and is a map of what it would begin with.
 * @throws AppError invalid_request, not_found, insufficient_credits, pending_limit, plan_limit_exceeded
 */
export const createCrawl: Perform<'createCrawl', CrawlServices> = async (ctx, { body }) => {
  const {
    name,
    start,
    crawl,
    routes = READING,
    limits,
    scrape_config: config,
    webhook_url: webhookUrl,
  } = body;
  const common = { name, start, limits, config, webhookUrl, keepPages: body.keep_pages };
  const given = { ...common, kind: 'crawl' as const, crawl, routes };
  if (body.dry_run !== true) return startCrawl(ctx, given);
  await checkCrawl(submitServicesOf(ctx), await toSubmission(ctx, given));
  const sources = { ...crawl.sources, links: false };
  return startCrawl(ctx, { ...common, kind: 'map', crawl: { ...crawl, sources }, routes: [] });
};

/** @throws AppError invalid_request, insufficient_credits, pending_limit, plan_limit_exceeded */
export const createMap: Perform<'createMap', CrawlServices> = (ctx, { body }) => {
  const { scrape_config: config, webhook_url: webhookUrl, keep_pages: keepPages, ...rest } = body;
  return startCrawl(ctx, { ...rest, config, webhookUrl, keepPages, kind: 'map', routes: [] });
};

export const listCrawls: Perform<'listCrawls'> = async (ctx, { query }) => {
  const kinds = query.kind === undefined ? CRAWL_KINDS : [query.kind];
  const { items, pagination } = await readRunPage(ctx, query, sql`w.kind IN ${kinds}`);
  return { crawls: items, pagination };
};

interface Given {
  rules: CrawlRulesSpec;
  config: StoredConfig<RunConfig>;
}

/** @throws AppError not_found: also of a run of a workflow */
export const getCrawl: Perform<'getCrawl'> = async (ctx, { params: { id } }) => {
  const record = await readWorkflowRunRecord(ctx.services.db.orm, ctx.accountId, id);
  // From the plan of its pages.
  const [given] = await ctx.services.db.sql<Given[]>`
    SELECT s.plan -> 'crawl' -> 'rules' AS rules, p.config FROM gleaner.runs r
    JOIN gleaner.stages s ON s.root_no = r.no AND s.role = 'pages' JOIN gleaner.runs p ON p.no = s.run_no
    WHERE r.id = ${id} AND r.account_id = ${ctx.accountId}`;
  if (given === undefined || record.kind === 'workflow') throw new AppError('not_found');
  const { rules, config } = given;
  return {
    ...record,
    start: [...rules.start],
    crawl: rules.crawl,
    scrape_config: toShownConfig(config),
    keep_pages: config.keepPages === 'all' ? 'all' : 'none',
  };
};
