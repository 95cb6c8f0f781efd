import { z } from 'zod';
import { addressField, ignored, only, optional, refused, senderFields } from './parameters.ts';
import { configOf, noOptions, readingOf, scrapeFields } from './scrape-options.ts';
import { wildcardsOf } from './wildcards.ts';

/** The route whose results are the documents of a crawl. */
export const DOCUMENTS = 'firecrawl';
/** The name of batches that were made here. */
export const BATCH_NAME = 'firecrawl';
/** A route of pages that are only followed. */
const LEFT_OUT = 'left_out';

/** Firecrawl's own default. */
const DEFAULT_PAGES = 10_000;
/** The greatest depth of a crawl, where none is given. */
const MOST_DEPTH = 1_000;
const DEFAULT_LINKS = 5_000;
const MOST_LINKS = 100_000;

const NO_PROMPT = 'needs a language model, and none takes part';
const NO_WEBHOOK =
  'can’t be done: Gleaner’s webhooks have another shape; ask for the status, or use `webhook_url` of the HTTP API';
const NO_RETENTION = 'can’t be true: results are kept until they expire';

export const scrapeBody = z
  .strictObject({ url: addressField, ...scrapeFields, ...senderFields })
  .transform(({ url, ...options }) => ({
    waitMs: options.timeout,
    call: { url, schema: readingOf(options), ...configOf(options) },
  }));

const sitemapField = optional(z.enum(['include', 'skip', 'only']));

function sourcesOf(sitemap: z.output<typeof sitemapField> = 'include') {
  return { links: sitemap !== 'only', sitemaps: sitemap !== 'skip' };
}

const expressionsField = optional(z.array(z.string().min(1).max(500)).max(100));

const NOT_WILDCARDS =
  'can’t be written with wildcards: of regular expressions, literal text, .*, ^, $ and | are known';

type Refuse = (path: (string | number)[], message: string) => void;

/** Expressions as patterns; the first that can't be one is refused. */
function patternsOf(
  name: 'includePaths' | 'excludePaths',
  { regexOnFullURL: isWhole = false, [name]: expressions = [] }: CrawlParameters,
  refuse: Refuse,
): string[] {
  return expressions.flatMap((expression, index) => {
    const patterns = wildcardsOf(expression, isWhole);
    if (patterns === undefined) refuse([name, index], NOT_WILDCARDS);
    return patterns ?? [];
  });
}

const crawlParameters = z.strictObject({
  url: addressField,
  includePaths: expressionsField,
  excludePaths: expressionsField,
  regexOnFullURL: optional(z.boolean()),
  maxDiscoveryDepth: optional(z.int().min(0).max(MOST_DEPTH)),
  sitemap: sitemapField,
  /** A name of the version before, which n8n still sends. */
  ignoreSitemap: optional(z.boolean()),
  ignoreQueryParameters: optional(z.boolean()),
  limit: optional(z.int().min(1)),
  crawlEntireDomain: optional(z.boolean()),
  allowSubdomains: optional(z.boolean()),
  ignoreRobotsTxt: optional(z.boolean()),
  scrapeOptions: optional(z.strictObject(scrapeFields)),
  prompt: refused(NO_PROMPT),
  allowExternalLinks: refused('can’t be true: a crawl stays on its site'),
  deduplicateSimilarURLs: only(true, 'can’t be false: a page with several addresses is one page'),
  robotsUserAgent: refused('can’t be done: GLEANER_BOT_NAME is the name of all crawls'),
  delay: refused('can’t be done: Crawl-delay of robots.txt and the limits of the operator pace a crawl'),
  webhook: refused(NO_WEBHOOK),
  zeroDataRetention: refused(NO_RETENTION),
  maxConcurrency: ignored,
  ...senderFields,
});

type CrawlParameters = z.output<typeof crawlParameters>;

function scopeOf({ url, crawlEntireDomain, allowSubdomains }: CrawlParameters, refuse: Refuse) {
  if (allowSubdomains !== true) return crawlEntireDomain === true ? 'host' : 'path';
  const isBelow = (URL.parse(url)?.pathname ?? '/') !== '/';
  if (isBelow && crawlEntireDomain !== true)
    refuse(['allowSubdomains'], 'needs crawlEntireDomain: true where the url has a path');
  return 'site';
}

export const crawlBody = crawlParameters.transform((given, context) => {
  const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message });
  const include = patternsOf('includePaths', given, refuse);
  const exclude = patternsOf('excludePaths', given, refuse);
  const options = given.scrapeOptions ?? noOptions;
  return {
    start: [given.url],
    crawl: {
      scope: scopeOf(given, refuse),
      include,
      exclude,
      depth: given.maxDiscoveryDepth ?? MOST_DEPTH,
      sources: sourcesOf(given.sitemap ?? (given.ignoreSitemap === true ? 'skip' : undefined)),
      ...(given.ignoreQueryParameters === true ? { ignore_query: true } : {}),
      robots: given.ignoreRobotsTxt === true ? 'off' : 'enforce',
    },
    // A start page is always fetched, and is a document only where it fits.
    routes: [
      ...(exclude.length > 0 ? [{ name: LEFT_OUT, match: exclude }] : []),
      { name: DOCUMENTS, match: include.length > 0 ? include : '/*', schema: readingOf(options) },
    ],
    limits: { pages: given.limit ?? DEFAULT_PAGES },
    scrape_config: configOf(options),
  };
});

/** Most addresses of a batch: they are read at once. */
const MOST_URLS = 100_000;

export const batchBody = z
  .strictObject({
    urls: z.array(addressField).min(1).max(MOST_URLS),
    ignoreInvalidURLs: z.boolean().nullish(),
    ...scrapeFields,
    appendToId: refused('can’t be done: start another batch'),
    webhook: refused(NO_WEBHOOK),
    maxConcurrency: ignored,
    ...senderFields,
  })
  .transform(({ urls, ignoreInvalidURLs, ...options }) => ({
    schema: readingOf(options),
    call: { urls, skip_invalid: ignoreInvalidURLs !== false, scrape_config: configOf(options) },
  }));

export const mapBody = z
  .strictObject({
    url: addressField,
    sitemap: sitemapField,
    includeSubdomains: optional(z.boolean()),
    ignoreQueryParameters: optional(z.boolean()),
    limit: optional(z.int().min(1).max(MOST_LINKS)),
    timeout: optional(z.number().min(1_000)),
    location: scrapeFields.location,
    search: refused('can’t be done: addresses are listed in the order of the site'),
    threatProtection: scrapeFields.threatProtection,
    useMock: scrapeFields.useMock,
    ignoreCache: ignored,
    ...senderFields,
  })
  .transform((given) => ({
    waitMs: given.timeout,
    limit: given.limit ?? DEFAULT_LINKS,
    call: {
      start: [given.url],
      crawl: {
        scope: given.includeSubdomains === false ? 'host' : 'site',
        sources: sourcesOf(given.sitemap),
        ...(given.ignoreQueryParameters === false ? {} : { ignore_query: true }),
      },
      // Sitemaps are free; of links, those of the start page are listed, as more would cost a page each.
      limits: { pages: 1 },
      scrape_config: configOf({ ...noOptions, location: given.location }),
    },
  }));
