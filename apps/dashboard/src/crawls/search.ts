import { URL_OUTCOMES, type UrlOutcome } from '@gleaner/contracts/values';
import { readOneOf, readText, searchReader } from '../parts/read-search.ts';
import { readReadings } from './routes.ts';

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
export const readCrawlSearch = searchReader({
  outcome: readOneOf(URL_OUTCOMES),
  read: readReadings,
  failure: readText,
  row: readText,
});
