import {
  proxiesByTier,
  createPostgresHostStore,
  type Config,
  type DatabaseClock,
  type Metrics,
  type Services,
} from '@gleaner/core';
import {
  createFetcher,
  createPoliteness,
  type Fetcher,
  type FetchMetrics,
  type FetchSettings,
} from '@gleaner/fetching';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import { createBlockedHosts, type BlockedHosts } from './blocked-hosts.ts';

/** Converts the fetcher's events to metrics. */
function toFetchMetrics(metrics: Metrics, blocked: BlockedHosts): FetchMetrics {
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
function toFetchSettings(config: Config, browserPages: number): FetchSettings {
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

interface FetchingParts extends Pick<Services, 'config' | 'db' | 'log'> {
  metrics: Metrics;
  /** The clock of fetched pages. */
  clock: DatabaseClock;
}

/** This process's fetcher. Limits and pauses per host are shared by all workers through Postgres. */
export async function openFetching(
  { config, db, log, metrics, clock }: FetchingParts,
  browserPages: number,
): Promise<{ fetcher: Fetcher; blockedHosts: BlockedHosts; close: () => Promise<void> }> {
  const { hostConcurrency, hostRequestsPerSecond } = config;
  const store = createPostgresHostStore(db.sql);
  const politeness = createPoliteness({ log, hostConcurrency, hostRequestsPerSecond, store });
  const blockedHosts = createBlockedHosts((host, tally) =>
    log.warn({ host, ...tally }, 'a host blocks most attempts'),
  );
  const fetcher = await createFetcher(toFetchSettings(config, browserPages), {
    log,
    metrics: toFetchMetrics(metrics, blockedHosts),
    politeness,
    now: clock.now,
  });
  return {
    fetcher,
    blockedHosts,
    close: async () => {
      await fetcher.close();
      await politeness.close();
    },
  };
}
