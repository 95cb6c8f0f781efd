export { createFetcher, type Fetcher, type FetcherDeps, type FetcherStats } from './fetcher.ts';
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
export type { BrowserSettings, BrowserStats } from './browser/browser-types.ts';
export type { Admission, MemoryUse } from './memory-admission.ts';
export type { HostStore } from './politeness/host-store.ts';
export { createPostgresHostStore } from './politeness/postgres-host-store.ts';
export { createRedisHostStore, type RedisScripts } from './politeness/redis-host-store.ts';
export { createSharedPoliteness, type SharedPolitenessOptions } from './politeness/shared-politeness.ts';
