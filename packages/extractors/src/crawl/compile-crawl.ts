import type { Crawl, CrawlRoute } from '@gleaner/contracts';
import { AppError } from '@gleaner/contracts/errors';
import { MAX_CRAWL_URL_LENGTH } from '@gleaner/contracts/values';
import { compileSelector, ExpressionFault, type SelectorList } from '@gleaner/html';
import { describeFault } from '../check-schema.ts';
import type { SchemaFault } from '../engine/compile.ts';
import type { LineRules, Verdict } from './link-line.ts';
import {
  canonicalEscapes,
  climbs,
  createNormalise,
  fullEscapes,
  splitAddress,
  type Address,
  type Normalise,
} from './normalise.ts';
import { compilePatterns } from './patterns.ts';
import { compileScope } from './scope.ts';

/** What decides which pages a crawl reads. */
export interface CrawlRulesSpec {
  start: readonly string[];
  crawl: Crawl;
  routes: readonly Pick<CrawlRoute, 'match' | 'follow'>[];
}

/** The rules of a crawl; `any`: every address counts, and none has a route. */
export type AnyRulesSpec = CrawlRulesSpec | 'any';

/** `judge` and `routeOf` take an address that `normalise` made. */
export interface CrawlRules extends LineRules {
  normalise: Normalise;
  /** `normalise` for robots.txt, sitemaps and feeds: `ignore_query` is about pages alone. */
  normaliseSource: Normalise;
  /** Whether links of pages of the route are followed; of pages without one, for null. */
  follows(route: number | null): boolean;
  /** What marks the links to the next page of a list. */
  readonly next: readonly SelectorList[];
  /** Whether `rel=nofollow` and robots meta tags are obeyed. */
  readonly nofollow: boolean;
}

function selectorFault(text: string): { reason: string; column?: number | undefined } | undefined {
  try {
    compileSelector(text);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionFault) return { reason: error.message, column: error.column };
    throw error;
  }
}

/** What is wrong with a crawl that its structure allows: start addresses, feeds and selectors. */
export function checkCrawl({ start, crawl }: Pick<CrawlRulesSpec, 'start' | 'crawl'>): SchemaFault[] {
  const normalise = createNormalise(undefined);
  const reason = `is not an address of http or https with at most ${MAX_CRAWL_URL_LENGTH} characters`;
  const addressFaults = (path: string, urls: readonly string[]): SchemaFault[] =>
    urls.flatMap((url, index) => (normalise(url) === null ? [{ path: `${path}[${index}]`, reason }] : []));
  const selectorFaults = crawl.next.flatMap((text, index) => {
    const fault = selectorFault(text);
    return fault === undefined ? [] : [{ path: `crawl.next[${index}]`, ...fault }];
  });
  return [
    ...addressFaults('start', start),
    ...addressFaults('crawl.sources.feeds', crawl.sources.feeds),
    ...selectorFaults,
  ];
}

/** The rules of a source that no crawl reads. */
function anyRules(): CrawlRules {
  const normalise = createNormalise(undefined);
  return {
    normalise,
    normaliseSource: normalise,
    judge: () => 'ok',
    routeOf: () => null,
    follows: () => false,
    next: [],
    nofollow: false,
  };
}

/** `compileCrawl`, also of `any`. */
export function compileRules(spec: AnyRulesSpec): CrawlRules {
  return spec === 'any' ? anyRules() : compileCrawl(spec);
}

/**
 * Compiles the rules of a crawl.
 * @throws AppError `invalid_request` for a faulty one. What `checkCrawl` has no fault in never throws.
 */
export function compileCrawl(spec: CrawlRulesSpec): CrawlRules {
  const [fault] = checkCrawl(spec);
  if (fault !== undefined)
    throw new AppError('invalid_request', { field: fault.path, detail: describeFault(fault) });
  const { start, crawl, routes } = spec;
  const { addresses: rule = 1 } = crawl;
  const normalise = createNormalise(crawl.ignore_query, rule);
  const escapes = rule === 1 ? canonicalEscapes : fullEscapes;
  const startUrls = new Set(start.flatMap((url) => normalise(url) ?? []));
  const isWithin = compileScope(crawl.scope, [...startUrls].map(splitAddress));
  const isIncluded = crawl.include.length === 0 ? () => true : compilePatterns(crawl.include, escapes);
  const isExcluded = compilePatterns(crawl.exclude, escapes);
  const fits = routes.map(({ match }) => compilePatterns(match, escapes));

  /** A path that some servers read as another could get round `exclude`. */
  const isHidden = ({ path }: Address): boolean => crawl.exclude.length > 0 && climbs(path);

  const judge = (url: string): Verdict => {
    if (startUrls.has(url)) return 'ok';
    const address = splitAddress(url);
    if (!isWithin(address)) return 'out_of_scope';
    return isIncluded(address) && !isExcluded(address) && !isHidden(address) ? 'ok' : 'excluded';
  };
  const routeOf = (url: string): number | null => {
    const address = splitAddress(url);
    const index = fits.findIndex((fitsRoute) => fitsRoute(address));
    return index === -1 ? null : index;
  };

  return {
    normalise,
    normaliseSource: createNormalise(undefined, rule),
    judge,
    routeOf,
    follows: (route) => crawl.sources.links && (route === null || routes[route]?.follow !== false),
    next: crawl.next.map(compileSelector),
    nofollow: crawl.nofollow,
  };
}
