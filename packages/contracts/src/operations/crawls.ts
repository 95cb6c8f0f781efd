import { z } from 'zod';
import {
  idField,
  listAnswer,
  nameField,
  nullIsAbsent,
  queryNumber,
  timestampField,
  identifierField,
} from '../fields.ts';
import { accepted, json, operationsOf } from '../define-operation.ts';
import { scrapeConfigSchema, shownConfigSchema } from '../fetching/scrape-config.ts';
import { targetUrlField } from '../fetching/target-url.ts';
import { crawlField, routesField } from '../runs/crawls.ts';
import { checkExport, UNTYPED_EXPORT_TYPES, untypedExportFields } from '../runs/export-format.ts';
import { MAX_WORKFLOW_TASKS } from '../runs/workflow-stages.ts';
import {
  CRAWL_KEEPS,
  CRAWL_KINDS,
  DEFAULT_CRAWL_PAGES,
  FOUND_BY,
  MAX_START_URLS,
  URL_OUTCOMES,
} from '../values/index.ts';
import { inputPageQuery, maxCreditsField, openCursorField, rootRunsQuery } from './runs.ts';
import { webhookUrlField } from './webhooks.ts';
import { workflowRunParams, workflowRunSchema } from './workflow-runs.ts';

const define = operationsOf({ tag: 'Crawls', auth: 'key' });

const crawlParams = z.strictObject({ id: idField('crawl or map') });

export const crawlLimits = z
  .strictObject({
    pages: z
      .int()
      .min(1)
      .max(MAX_WORKFLOW_TASKS)
      .default(DEFAULT_CRAWL_PAGES)
      .describe('Most pages of the crawl. Duplicates don’t count, failed pages do.'),
    credits: nullIsAbsent(maxCreditsField),
  })
  .prefault({})
  .describe('Limits of the crawl.');

const keepField = z
  .enum(CRAWL_KEEPS)
  .describe('all: each fetched page is kept for 7 days, within the account’s quota. Default: none.');

const crawlFields = {
  name: nullIsAbsent(nameField),
  start: z
    .array(targetUrlField)
    .min(1)
    .max(MAX_START_URLS)
    .describe('Where it starts: fetched whatever the rules say, unless robots.txt forbids it.'),
  crawl: crawlField.prefault({}),
  limits: crawlLimits,
  scrape_config: scrapeConfigSchema.optional(),
  webhook_url: webhookUrlField.optional(),
  keep_pages: nullIsAbsent(keepField),
};

export const createCrawl = define('createCrawl', 'POST /v1/crawls', {
  summary: 'Crawl a site: follow its links, and extract data from pages by routes.',
  description:
    'Fetches pages breadth first and gives each to the parser of the first route that fits. A page is fetched once, for its links and its data. A crawl that its limit cuts gives the same set of pages each time, as long as the site answers the same. Each page costs what a scrape costs; robots.txt, sitemaps, feeds and duplicates are free. With `dry_run` it reads robots.txt, sitemaps and feeds alone and is a free run of kind `map`.',
  body: z.strictObject({
    ...crawlFields,
    routes: routesField
      .optional()
      .describe(
        'Which parser reads which pages. Default: the built-in parser `page` reads all. Pages without a route are fetched for their links alone.',
      ),
    dry_run: z
      .boolean()
      .optional()
      .describe('Only read robots.txt, sitemaps and feeds: what a crawl would start with.'),
  }),
  answer: accepted(workflowRunSchema),
  errors: ['not_found', 'pending_limit', 'plan_limit_exceeded'],
  credits: 'scrape',
  creates: true,
  tool: 'crawl_site',
});

export const createMap = define('createMap', 'POST /v1/crawls/map', {
  summary: 'List the addresses of a site without extracting data.',
  description:
    'A crawl without routes. With `crawl: {"sources": {"links": false}}` it reads robots.txt, sitemaps and feeds alone, and is free.',
  body: z.strictObject(crawlFields),
  answer: accepted(workflowRunSchema),
  errors: ['pending_limit', 'plan_limit_exceeded'],
  credits: 'scrape',
  creates: true,
  tool: 'map_site',
});

export const listCrawls = define('listCrawls', 'GET /v1/crawls', {
  summary: 'Crawls and maps of the account, newest first.',
  query: rootRunsQuery.extend({
    kind: z.enum(CRAWL_KINDS).optional().describe('Only crawls, or only maps.'),
  }),
  answer: json(listAnswer('crawls', workflowRunSchema)),
  fairShare: 'call',
});

export const getCrawl = define('getCrawl', 'GET /v1/crawls/{id}', {
  summary: 'One crawl or map with its counts.',
  description: 'Events, failures, cancel and retry are those of `/v1/workflow-runs/{id}`.',
  params: crawlParams,
  answer: json(
    workflowRunSchema.extend({
      start: z.array(z.string()).describe('Addresses where it started.'),
      crawl: crawlField,
      scrape_config: shownConfigSchema.describe('What was given, without headers and cookies.'),
      keep_pages: keepField,
    }),
  ),
});

/** An address that a crawl found. */
export const crawlUrlSchema = z
  .object({
    url: z.string(),
    status: z.int().nullable().describe('HTTP status of the fetch.'),
    depth: z.int().describe('Links between a start page and this one.'),
    found: z.enum(FOUND_BY).describe('How the crawl came to know it.'),
    found_on: z
      .string()
      .nullable()
      .describe('The page, sitemap or feed that named it; null for start pages.'),
    route: z.string().nullable().describe('The route that takes the page.'),
    outcome: z
      .enum(URL_OUTCOMES)
      .nullable()
      .describe(
        'What became of it. `duplicate`: a page that counts under another address. `excluded`: by include or exclude. Null: not fetched, or not yet.',
      ),
    last_modified: timestampField.nullable().describe('As the sitemap, the feed or the page says.'),
    canonical: z
      .string()
      .nullable()
      .describe('The canonical address that the page names, when it is another.'),
    noindex: z.boolean().describe('The page asks search engines not to list it.'),
  })
  .meta({ id: 'CrawlUrl' });

export type CrawlUrl = z.input<typeof crawlUrlSchema>;

/** A page of addresses: rows are small, and a map has many. */
const MAX_LISTED_URLS = 1_000;

const urlFilters = {
  outcome: z.enum(URL_OUTCOMES).optional().describe('With this outcome.'),
  route: identifierField.optional().describe('Only those of this route.'),
};

export const listCrawlUrls = define('listCrawlUrls', 'GET /v1/workflow-runs/{id}/urls', {
  summary: 'Addresses that a crawl or map found, in its order.',
  description:
    'By depth, then in the order in which they were found. While the run goes on, a page can be empty; `cursor` is present until the run has ended.',
  params: workflowRunParams,
  query: inputPageQuery.extend({
    ...urlFilters,
    limit: queryNumber(z.int().min(1).max(MAX_LISTED_URLS)).default(100),
  }),
  answer: json(z.object({ urls: z.array(crawlUrlSchema), cursor: openCursorField })),
  fairShare: 'call',
  tool: 'get_run_urls',
});

export const exportCrawlUrls = define('exportCrawlUrls', 'GET /v1/workflow-runs/{id}/urls/export', {
  summary: 'All addresses of a crawl or map as one stream of NDJSON, CSV or xlsx.',
  params: workflowRunParams,
  query: z.strictObject({ ...untypedExportFields, ...urlFilters }).superRefine(checkExport),
  answer: { kind: 'stream', status: 200, contentTypes: UNTYPED_EXPORT_TYPES },
  fairShare: 'each-page',
});
