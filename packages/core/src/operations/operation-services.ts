import type { WatchServices } from '../batches/watch-batch.ts';
import type { DatabaseServices } from '../databases/database-services.ts';
import type { ParsingServices } from '../parse/parse-html.ts';
import type { FairShare } from '../rate-limits/fair-share.ts';
import type { OpenStreams } from '../rate-limits/open-streams.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import type { RunServices } from '../runs/run-services.ts';

/** Everything that calls of operations need; a process with a door builds it once. */
export interface OperationServices extends ParsingServices, DatabaseServices, RunServices, WatchServices {
  rateLimiter: RateLimiter;
  fairShare: FairShare;
  streams: OpenStreams;
}
