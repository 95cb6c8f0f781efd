import type { RobotsRule } from '@gleaner/contracts/values';
import type { BotSettings, FetchRequest, RawRequest, RawResponse, RobotsNotes } from './fetch-types.ts';
import type { HeaderMap } from './http/exchange.ts';
import { createRobots } from './robots.ts';
import { readRobotsTags } from './robots-tags.ts';

export type Crawler = ReturnType<typeof createCrawler>;
/** A crawler's fetch of one page, with its redirects. */
export type CrawlVisit = ReturnType<Crawler['visit']>;

/** A longer `Crawl-delay` counts as this: a crawl of a thousand pages would take days. */
const MAX_CRAWL_DELAY_MS = 10_000;
/** Soon enough for the next attempt of a page to find out whether the file can be read again. */
const KEEP_FAILURE_MS = 2_000;
/** RFC 9309. */
const MAX_ROBOTS_REDIRECTS = 5;

/** Fetches as a crawler that has a name: with its User-Agent, and as robots.txt allows it. */
export function createCrawler(
  { name, page }: BotSettings,
  fetchRaw: (request: RawRequest) => Promise<RawResponse>,
) {
  const userAgent = `Mozilla/5.0 (compatible; ${name}/1.0${page === undefined ? '' : `; +${page}`})`;
  const robots = createRobots({
    fetchRaw: (request) => fetchRaw({ ...request, asCrawler: true, maxRedirects: MAX_ROBOTS_REDIRECTS }),
    product: name,
    hint: 'crawl.robots says whether robots.txt decides.',
    isUnreachable: (status) => status >= 500,
    keepFailureMs: KEEP_FAILURE_MS,
  });
  return {
    userAgent,
    visit: (request: FetchRequest, rule: RobotsRule) => {
      let delayMs: number | undefined;
      let warning: string | undefined;
      return {
        userAgent,
        /** @throws RobotsRefusedError when robots.txt decides and refuses the URL */
        check: async (url: URL): Promise<void> => {
          if (rule === 'off') return;
          const { refusal, crawlDelaySeconds } = await robots.ask(url, request);
          delayMs ??= Math.min(crawlDelaySeconds * 1_000, MAX_CRAWL_DELAY_MS);
          if (refusal === undefined) return;
          if (rule === 'enforce') throw refusal;
          warning ??= refusal.options.detail ?? refusal.message;
        },
        /** The pause between pages that the host of the first checked URL asks for. */
        crawlDelayMs: (): number => delayMs ?? 0,
        notes: (headers: HeaderMap): RobotsNotes => ({
          ...readRobotsTags(headers['x-robots-tag'], name),
          ...(warning === undefined ? {} : { warning }),
        }),
      };
    },
  };
}
