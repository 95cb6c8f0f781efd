import type { Metrics } from '@gleaner/core';
import type { FetchMetrics } from '@gleaner/fetching';
import type { BlockedHosts } from './blocked-hosts.ts';

/** Converts the fetcher's events to metrics. */
export function toFetchMetrics(metrics: Metrics, blocked: BlockedHosts): FetchMetrics {
  return {
    fetched: ({ engine, tier, host, outcome, totalMs }) => {
      blocked.note(host, outcome === 'target_blocked');
      metrics.fetches.inc({ engine, tier, outcome });
      metrics.fetchSeconds.observe({ engine }, totalMs / 1_000);
    },
    proxyOutcome: ({ tier, isGood }) => metrics.proxyUses.inc({ tier, outcome: isGood ? 'good' : 'bad' }),
  };
}
