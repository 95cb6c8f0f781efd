import type { Config } from '@gleaner/core';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import type { FetchSettings } from '@gleaner/fetching';

/** The fetch settings of this process. @throws Error with a readable message for an invalid allow list */
export function toFetchSettings(config: Config): FetchSettings {
  return {
    egressAllow: parseEgressAllow(config.egressAllow),
    proxies: {
      default: config.proxyDefault,
      highquality: config.proxyHighquality,
      premium: config.proxyPremium,
      hardcore: config.proxyHardcore,
    },
    browser: {
      prepare: config.workerQueues.includes('browser'),
      pagesPerBrowser: Math.max(1, config.browserConcurrency),
      ...(config.chromiumPath === undefined ? {} : { executablePath: config.chromiumPath }),
    },
    ...(config.hostConcurrency === undefined ? {} : { hostConcurrency: config.hostConcurrency }),
    ...(config.hostRequestsPerSecond === undefined
      ? {}
      : { hostRequestsPerSecond: config.hostRequestsPerSecond }),
  };
}
