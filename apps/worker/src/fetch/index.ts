export { createFetcher, type Fetcher, type FetcherDeps, type FetcherStats } from './fetcher.ts';
export type {
  FetchedPage,
  FetchLog,
  FetchMetrics,
  FetchRequest,
  FetchSettings,
  RawRequest,
  RawResponse,
} from './fetch-types.ts';
export type { Politeness } from './politeness/politeness.ts';
export { createSharedPoliteness } from './politeness/shared-politeness.ts';
