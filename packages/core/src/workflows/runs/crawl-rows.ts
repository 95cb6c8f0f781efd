import { AppError, CRAWL_TRIES, MAX_CRAWL_HOSTS, type Crawl, type CrawlRoute } from '@gleaner/contracts';
import { compileCrawl, foldersOf, type CrawlRulesSpec } from '@gleaner/extractors/crawl';
import type { CrawlSpec } from '../../runs/stages/stage-spec.ts';
import type { PlannedStage } from '../plan-workflow.ts';
import type { CrawlPart } from '../stage-parts.ts';

/** Addresses that a crawl keeps at least, so that a map of few pages shows a whole sitemap. */
const LEAST_ENTRIES = 100_000;
const MOST_ENTRIES = 10_000_000;
/** The most folders that the record of a crawl names. */
const SHOWN_FOLDERS = 100;

export type CrawlRows = NonNullable<ReturnType<typeof crawlRows>>;

/** The addresses that a crawl begins with. */
function listEntries({ sources }: Crawl, start: readonly string[], routeOf: (url: string) => number | null) {
  const origins = new Set(start.map((url) => new URL(url).origin));
  const robots = sources.sitemaps ? [...origins].map((origin) => `${origin}/robots.txt`) : [];
  return [
    ...robots.map((url) => ({ url, depth: -1, kind: 'robots' })),
    ...[...new Set(sources.feeds)].map((url) => ({ url, depth: -1, kind: 'feed' })),
    ...start.map((url) => ({ url, depth: 0, found: 'start', route: routeOf(url) })),
  ];
}

function routeRunsOf(
  stages: readonly PlannedStage[],
  numbers: readonly string[],
  routes: readonly CrawlRoute[],
): (string | null)[] {
  return routes.map((_, index) => {
    const stage = stages.find(({ part }) => part?.role === 'route' && part.index === index);
    return stage === undefined ? null : (numbers[stage.place] ?? null);
  });
}

/** @throws AppError invalid_request: more hosts than a crawl reads */
function requireFewHosts(start: readonly string[]): void {
  const hosts = new Set(start.map((url) => new URL(url).host)).size;
  if (hosts <= MAX_CRAWL_HOSTS) return;
  throw new AppError('invalid_request', {
    detail: `the start pages have ${hosts} hosts; a crawl reads at most ${MAX_CRAWL_HOSTS}`,
    hint: 'Start a crawl for each hundred of them.',
  });
}

/**
 * What the engine and its workers need of a crawl; undefined in a workflow without one.
 * @param numbers `runs.no` by index of the part
 * @param start the start pages, normalised
 * @throws AppError invalid_request: they have too many hosts
 */
export function crawlRows(
  stages: readonly PlannedStage[],
  numbers: readonly string[],
  start: readonly string[],
) {
  const [pages] = stages;
  if (pages?.part?.role !== 'pages') return undefined;
  const { crawl, routes } = pages.part;
  const rules: CrawlRulesSpec = {
    start,
    crawl,
    routes: routes.map(({ match, follow }) => ({ match, follow })),
  };
  const limit = pages.limit ?? 0;
  const sources = stages.find(({ part }) => part?.role === 'sources');
  const routeRuns = routeRunsOf(stages, numbers, routes);
  const { routeOf } = compileCrawl(rules);
  requireFewHosts(start);
  // Without links and routes there is nothing that a page could give.
  const isListOnly = !crawl.sources.links && routeRuns.every((no) => no === null);
  return {
    /** The argument `crawl` of `engine.create_workflow_run`. */
    member: {
      pageLimit: isListOnly ? 0 : limit,
      /** Most pages that are fetched. */
      tries: limit * CRAWL_TRIES,
      maxEntries: Math.min(Math.max(limit * CRAWL_TRIES, LEAST_ENTRIES), MOST_ENTRIES),
      depth: crawl.depth,
      hostLimit: MAX_CRAWL_HOSTS,
      sourcesNo: sources === undefined ? null : (numbers[sources.place] ?? null),
      routeRuns,
      entries: listEntries(crawl, start, routeOf),
    },
    specOf: (part: CrawlPart): CrawlSpec => {
      switch (part.role) {
        case 'pages':
          return {
            role: 'pages',
            rules,
            ...(crawl.scope === 'path' ? { folders: foldersOf(start).slice(0, SHOWN_FOLDERS) } : {}),
            routes: routes.map(({ name }) => name),
            routeRuns,
          };
        case 'sources':
          return { role: 'sources', rules };
        case 'route':
          return { role: 'route' };
      }
    },
  };
}
