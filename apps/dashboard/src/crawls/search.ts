import { isOneOf, URL_OUTCOMES, type UrlOutcome } from '@gleaner/contracts/values';

/** What became of a URL, as people read it. */
export const OUTCOME_WORDS = {
  fetched: 'Fetched',
  unchanged: 'Unchanged',
  failed: 'Failed',
  duplicate: 'Duplicate',
  excluded: 'Excluded',
  out_of_scope: 'Out of scope',
  robots: 'Forbidden by robots.txt',
  over_limit: 'Over the limit',
} satisfies Record<UrlOutcome, string>;

/** The filter of a crawl's addresses. */
export interface CrawlSearch {
  outcome?: UrlOutcome | undefined;
}

export function readCrawlSearch({ outcome }: Record<string, unknown>): CrawlSearch {
  return isOneOf(URL_OUTCOMES, outcome) ? { outcome } : {};
}
