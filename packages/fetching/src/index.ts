export { findChromium } from './browser/find-chromium.ts';
export { probeChromium, type ChromiumProbe } from './browser/probe-chromium.ts';
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
export { BlockedError } from './fetch-page.ts';
export { HostBusyError, paceReason, RedirectBusyError } from './politeness/host-busy.ts';
export { OWN_PATIENCE_MS, type HostVisit, type HostWait, type OwnPace } from './politeness/host-wait.ts';
export { createPoliteness, type Politeness } from './politeness/politeness.ts';
export { RobotsRefusedError } from './robots.ts';
export { RedirectRefusedError } from './redirect-check.ts';
export { readRobots, type RobotsRules } from './robots-rules.ts';
export { createPhaseClock, type PhaseClock } from './phase-clock.ts';
