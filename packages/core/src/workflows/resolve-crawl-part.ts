import { invalid } from '../platform/invalid-request.ts';
import type { ScrapeConfig } from '@gleaner/contracts';
import { compileCrawl } from '@gleaner/extractors/crawl';
import { planWays } from '../runs/submission/plan-ways.ts';
import {
  fetchedBy,
  resolveTarget,
  type ResolvedTarget,
  type TargetServices,
} from '../runs/submission/resolve-target.ts';
import { checkUrlInput } from '../runs/tasks/check-input.ts';
import { withoutPages } from '../runs/submission/without-pages.ts';
import { CRAWL_LEVEL } from '../runs/tasks/work-level.ts';
import type { CrawlPart, StagePart } from './stage-parts.ts';

/** @throws AppError invalid_request (scrape_config), temporarily_unavailable */
function resolvePages(
  services: TargetServices,
  { crawl, keepPages = 'none' }: Extract<CrawlPart, { role: 'pages' }>,
  config: ScrapeConfig,
): ResolvedTarget {
  if (config.respectRobots !== undefined)
    throw invalid('scrape_config.respectRobots', 'does not apply to a crawl', 'Set `robots` of the crawl.');
  const ways = planWays(services.config, config);
  const { normalise } = compileCrawl({ start: [], crawl, routes: [] });
  return {
    takesUrls: true,
    check: (input) => {
      const checked = checkUrlInput(input);
      if ('fault' in checked) return checked;
      const line = normalise(checked.line);
      return line === null
        ? { fault: 'is not an address of a page: http or https, without a user' }
        : { line };
    },
    target: { type: 'crawl' },
    ...fetchedBy({ ...config, keepPages, needs: CRAWL_LEVEL }, ways),
  };
}

/**
 * The pages of a crawl are fetched with its configuration, whatever those of its parsers are.
 * @throws AppError not_found, invalid_request, temporarily_unavailable
 */
export async function resolveCrawlPart(
  services: TargetServices,
  accountId: string,
  { part, target, config = {} }: { part: CrawlPart } & Pick<StagePart, 'target' | 'config'>,
): Promise<ResolvedTarget> {
  if (part.role === 'pages') return resolvePages(services, part, config);
  const { retries, timeoutSeconds } = config;
  const few = { retries, timeoutSeconds };
  if (part.role === 'sources') return withoutPages({ type: 'crawl' }, few, CRAWL_LEVEL);
  if (target === undefined) throw new Error('a route without a target is no part');
  const saved =
    target.type === 'schema' ? target : (await resolveTarget(services, accountId, target, {})).target;
  return withoutPages(saved, few, CRAWL_LEVEL);
}
