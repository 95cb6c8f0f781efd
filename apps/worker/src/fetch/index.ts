export { createFetcher, type Fetcher, type FetcherDeps, type FetcherStats } from './fetcher.ts';
export { parseEgressAllow, NOTHING_ALLOWED, type EgressAllow } from './egress/egress-allow.ts';
export {
  createEgressGuard,
  guardedAddress,
  type EgressGuard,
  type EgressPurpose,
  type PinnedAddress,
} from './egress/egress-guard.ts';
export { createGuardedConnector } from './egress/guarded-connector.ts';
export { createGuardProxy, type GuardProxy, type ProxyRoute } from './egress/guard-proxy.ts';
export { parseTargetUrl } from './egress/target-url.ts';
export { createLocalPoliteness } from './politeness/local-politeness.ts';
export type { HostWait, LeaveHost, Politeness } from './politeness/politeness.ts';
export type {
  FetchedPage,
  FetchEngine,
  FetchLog,
  FetchMetrics,
  FetchRequest,
  FetchSettings,
  FetchTimings,
  RawRequest,
  RawResponse,
} from './fetch-types.ts';
