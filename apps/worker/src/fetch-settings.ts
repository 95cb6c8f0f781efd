import { proxiesByTier, type Config } from '@gleaner/core';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import type { FetchSettings } from '@gleaner/fetching';

/** The pages of a browser that ends unexpectedly are loaded again. */
const MAX_PAGES_PER_BROWSER = 8;

/** The fetch settings of this process. @throws Error with a readable message for an invalid allow list */
export function toFetchSettings(config: Config, browserPages: number): FetchSettings {
  return {
    egressAllow: parseEgressAllow(config.egressAllow),
    proxies: proxiesByTier(config),
    browser: {
      prepare: config.workerQueues.includes('browser'),
      pagesPerBrowser: Math.min(MAX_PAGES_PER_BROWSER, browserPages),
      ...(config.chromiumPath === undefined ? {} : { executablePath: config.chromiumPath }),
    },
    ...(config.hostConcurrency === undefined ? {} : { hostConcurrency: config.hostConcurrency }),
    ...(config.hostRequestsPerSecond === undefined
      ? {}
      : { hostRequestsPerSecond: config.hostRequestsPerSecond }),
  };
}
