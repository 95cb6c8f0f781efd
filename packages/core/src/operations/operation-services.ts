import type { KeyRing } from '../accounts/keys/key-ring.ts';
import type { PageServices } from '../storage/pages/read-pages.ts';
import type { WatchServices } from '../runs/watch/follow-run.ts';
import type { DatabaseServices } from '../storage/databases/database-services.ts';
import type { ResourceServices } from '../extraction/preview/load-page-resources.ts';
import type { ParsingServices } from '../extraction/parse/parse-html.ts';
import type { FairShare } from '../platform/rate-limits/fair-share.ts';
import type { OpenStreams } from '../platform/rate-limits/open-streams.ts';
import type { RateLimiter } from '../platform/rate-limits/rate-limiter.ts';
import type { RunServices } from '../runs/submission/run-services.ts';

/** The services that operations need. A process with a door builds them once. */
export interface OperationServices
  extends ParsingServices, DatabaseServices, RunServices, WatchServices, PageServices, ResourceServices {
  keys: KeyRing;
  rateLimiter: RateLimiter;
  fairShare: FairShare;
  streams: OpenStreams;
}
