import { PAGE_PARSER } from './page-parser.ts';

/** Which pages a crawl may fetch: the start pages alone, those below their folders, of their hosts, of their sites. */
export const CRAWL_SCOPES = ['page', 'path', 'host', 'site'] as const;
export type CrawlScope = (typeof CRAWL_SCOPES)[number];

/** What a crawl does with robots.txt: obeys it, only notes it, or doesn't read it. */
export const ROBOTS_RULES = ['enforce', 'warn', 'off'] as const;
export type RobotsRule = (typeof ROBOTS_RULES)[number];

/** The name of crawls in robots.txt and in the User-Agent, unless the operator sets another. */
export const DEFAULT_BOT_NAME = 'GleanerBot';

/** How a crawl came to know a URL. */
export const FOUND_BY = ['start', 'link', 'next', 'sitemap', 'feed'] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** What became of a URL of a crawl. */
export const URL_OUTCOMES = [
  'fetched',
  'unchanged',
  'failed',
  'duplicate',
  'excluded',
  'out_of_scope',
  'robots',
  'over_limit',
] as const;
export type UrlOutcome = (typeof URL_OUTCOMES)[number];

/** A crawl, and a map, which only lists URLs. */
export const CRAWL_KINDS = ['crawl', 'map'] as const;
export type CrawlKind = (typeof CRAWL_KINDS)[number];

/** Which pages of a crawl stay for some days. */
export const CRAWL_KEEPS = ['none', 'all'] as const;

/** What a workflow run does: a saved workflow, or a crawl that is not saved. */
export const WORKFLOW_RUN_KINDS = ['workflow', ...CRAWL_KINDS] as const;
export type WorkflowRunKind = (typeof WORKFLOW_RUN_KINDS)[number];

/**
 * Query parameters that say where a visitor came from and never what a page holds. A name that ends in `*` stands for
 * all names that begin so. Crawls remove them from addresses.
 */
export const TRACKING_PARAMETERS = [
  'utm_*',
  'gclid',
  'gclsrc',
  'gbraid',
  'wbraid',
  'dclid',
  'fbclid',
  'msclkid',
  'yclid',
  'twclid',
  'ttclid',
  'igshid',
  'mc_cid',
  'mc_eid',
  '_ga',
  '_gl',
  '_hsenc',
  '_hsmi',
  'mkt_tok',
  'srsltid',
] as const;

/** Query parameters that name a visit and never what a page holds, in lower case. Crawls by rule 2 remove them. */
export const SESSION_PARAMETERS = [
  'phpsessid',
  'jsessionid',
  'aspsessionid*',
  'asp.net_sessionid',
  'cfid',
  'cftoken',
  'oscsid',
  'zenid',
  'xtcsid',
  'sessionid',
  'session_id',
] as const;

/** How crawls write addresses: as of old, or with empty parts, visits and characters that need an escape made one. */
export const ADDRESS_RULES = [1, 2] as const;
export type AddressRule = (typeof ADDRESS_RULES)[number];
/** The rule of new crawls. A crawl that was stored without a rule follows rule 1. */
export const NEWEST_ADDRESS_RULE: AddressRule = 2;

export const DEFAULT_CRAWL_DEPTH = 5;
export const DEFAULT_CRAWL_PAGES = 1_000;
/** A crawl fetches at most so many times its limit of pages. */
export const CRAWL_TRIES = 10;
/** Limits of one crawl. */
export const MAX_CRAWL_HOSTS = 100;
export const MAX_CRAWL_PATTERNS = 100;
export const MAX_PATTERN_LENGTH = 500;
/** The longest address of a page of a crawl, after it is normalised: as in sitemaps. */
export const MAX_CRAWL_URL_LENGTH = 2_048;
export const MAX_CRAWL_DEPTH = 1_000;
export const MAX_SITEMAP_FILES = 1_000;
export const MAX_START_URLS = 1_000;
/** Crawls and maps of one account that may run at once. */
export const MAX_LIVE_CRAWLS = 10;

/** What a crawl reads when it is given no routes: each page with the built-in parser. */
export const READING_ROUTE = {
  name: 'pages',
  match: '/*',
  target: { type: 'parser', parserId: PAGE_PARSER },
} as const;
