import type {
  AccountTurns,
  BatchWatches,
  ExternalDatabases,
  InteractiveServices,
  KeyRing,
  Metrics,
  OpenStreams,
  ParserCache,
  RateLimiter,
} from '@gleaner/core';
import type { ExtractionPool } from '@gleaner/extractors/pool';

/** What main.ts builds for the API process. */
export interface ApiServices extends InteractiveServices {
  pool: ExtractionPool;
  rateLimiter: RateLimiter;
  keys: KeyRing;
  external: ExternalDatabases;
  turns: AccountTurns;
  parsers: ParserCache;
  metrics: Metrics;
  watches: BatchWatches;
  exports: OpenStreams;
}
