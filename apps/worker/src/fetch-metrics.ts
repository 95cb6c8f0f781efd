import type { Metrics } from '@gleaner/core';
import type { FetchMetrics } from '@gleaner/fetching';

/** Converts the fetcher's events to metrics. */
export function toFetchMetrics(metrics: Metrics): FetchMetrics {
  return {
    fetched: ({ engine, tier, outcome, totalMs }) => {
      metrics.fetches.inc({ engine, tier, outcome });
      metrics.fetchSeconds.observe({ engine }, totalMs / 1_000);
    },
    proxyOutcome: ({ tier, isGood }) => metrics.proxyUses.inc({ tier, outcome: isGood ? 'good' : 'bad' }),
  };
}
