import {
  proxiesByTier,
  createPostgresHostStore,
  type Metrics,
  type Config,
  type Logger,
} from '@gleaner/core';
import { createPoliteness, type FetchMetrics, type FetchSettings, type Politeness } from '@gleaner/fetching';
import type { BlockedHosts } from './blocked-hosts.ts';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import type { Database } from '@gleaner/db';

/** Converts the fetcher's events to metrics. */
export function toFetchMetrics(metrics: Metrics, blocked: BlockedHosts): FetchMetrics {
  return {
    fetched: ({ engine, tier, host, outcome, tookMs }) => {
      blocked.note(host, outcome === 'target_blocked');
      metrics.fetches.inc({ engine, tier, outcome });
      metrics.fetchSeconds.observe({ engine }, tookMs / 1_000);
    },
    proxyOutcome: ({ tier, isGood }) => metrics.proxyUses.inc({ tier, outcome: isGood ? 'good' : 'bad' }),
  };
}

/** The pages of a browser that ends unexpectedly are loaded again. */
const MAX_PAGES_PER_BROWSER = 8;

/** Where crawled sites read who crawls: the public page, else the operator's contact. An address of this machine says nothing. */
function botPageOf({ publicUrl, botContact }: Config): { page?: string } {
  if (publicUrl !== undefined) return { page: `${publicUrl.replace(/\/$/, '')}/bot` };
  return botContact === undefined ? {} : { page: botContact };
}

/** The fetch settings of this process. @throws Error with a readable message for an invalid allow list */
export function toFetchSettings(config: Config, browserPages: number): FetchSettings {
  return {
    egressAllow: parseEgressAllow(config.egressAllow),
    proxies: proxiesByTier(config),
    bot: { name: config.botName, ...botPageOf(config) },
    browser: {
      prepare: config.workerQueues.includes('browser'),
      pagesPerBrowser: Math.min(MAX_PAGES_PER_BROWSER, browserPages),
      ...(config.chromiumPath === undefined ? {} : { executablePath: config.chromiumPath }),
    },
  };
}

/** Limits and pauses per host, shared by all workers through Postgres. */
export function openPoliteness(
  { hostConcurrency, hostRequestsPerSecond }: Config,
  db: Database,
  log: Logger,
): { politeness: Politeness; close: () => Promise<void> } {
  const politeness = createPoliteness({
    log,
    hostConcurrency,
    hostRequestsPerSecond,
    store: createPostgresHostStore(db.sql),
  });
  return { politeness, close: () => politeness.close() };
}
