export { findChromium } from './browser/find-chromium.ts';
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
export { NoTurnError } from './politeness/no-turn.ts';
export type { Politeness } from './politeness/politeness.ts';
export { createSharedPoliteness } from './politeness/shared-politeness.ts';
