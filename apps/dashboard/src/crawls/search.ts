import { isOneOf, URL_OUTCOMES, type UrlOutcome } from '@gleaner/contracts/values';
import { readReadings, type Readings } from './routes.ts';

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

/** The filter of a crawl's addresses, and which pages of a map shall be read. */
export interface CrawlSearch {
  outcome?: UrlOutcome | undefined;
  read?: Readings | undefined;
}

export function readCrawlSearch({ outcome, read }: Record<string, unknown>): CrawlSearch {
  const readings = readReadings(read);
  return {
    ...(isOneOf(URL_OUTCOMES, outcome) ? { outcome } : {}),
    ...(Object.keys(readings).length === 0 ? {} : { read: readings }),
  };
}
