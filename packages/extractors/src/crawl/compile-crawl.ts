import type { Crawl, CrawlRoute } from '@gleaner/contracts';
import { splitAddress, type Address } from './address.ts';
import { climbs } from './escapes.ts';
import { createNormalise, type Normalise } from './normalise.ts';
import { compilePatterns } from './patterns.ts';
import { compileScope } from './scope.ts';

/** What decides which pages a crawl reads. */
export interface CrawlRulesSpec {
  start: readonly string[];
  crawl: Crawl;
  routes: readonly Pick<CrawlRoute, 'match' | 'follow'>[];
}

export type Verdict = 'ok' | 'excluded' | 'out_of_scope';

/** Each question but the first is about an address that `normalise` made. */
export interface CrawlRules {
  normalise: Normalise;
  /** Whether the page may be fetched. A start page always may. */
  judge(url: string): Verdict;
  /** The index of the first route that fits; null without one. */
  routeOf(url: string): number | null;
  /** Whether links of pages of the route are followed; of pages without one, for null. */
  follows(route: number | null): boolean;
}

/** Compiles the rules of a crawl. It reads nothing and does not throw. */
export function compileCrawl({ start, crawl, routes }: CrawlRulesSpec): CrawlRules {
  const normalise = createNormalise(crawl.ignore_query);
  const startUrls = new Set(start.flatMap((url) => normalise(url) ?? []));
  const isWithin = compileScope(crawl.scope, [...startUrls].map(splitAddress));
  const isIncluded = crawl.include.length === 0 ? () => true : compilePatterns(crawl.include);
  const isExcluded = compilePatterns(crawl.exclude);
  const fits = routes.map(({ match }) => compilePatterns(match));

  /** A path that some servers read as another could get round `exclude`. */
  const isHidden = ({ path }: Address): boolean => crawl.exclude.length > 0 && climbs(path);

  return {
    normalise,
    judge: (url) => {
      if (startUrls.has(url)) return 'ok';
      const address = splitAddress(url);
      if (!isWithin(address)) return 'out_of_scope';
      return isIncluded(address) && !isExcluded(address) && !isHidden(address) ? 'ok' : 'excluded';
    },
    routeOf: (url) => {
      const address = splitAddress(url);
      const index = fits.findIndex((fitsRoute) => fitsRoute(address));
      return index === -1 ? null : index;
    },
    follows: (route) => crawl.sources.links && (route === null || routes[route]?.follow !== false),
  };
}
