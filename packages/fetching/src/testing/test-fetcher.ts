import type { ScrapeConfig } from '@gleaner/contracts';
import { parseEgressAllow } from '../egress/index.ts';
import type { FetchedPage, FetchLog, FetchRequest, FetchSettings } from '../fetch-types.ts';
import { createFetcher, type Fetcher, type FetcherDeps } from '../fetcher.ts';

export interface TestFetcher {
  fetcher: Fetcher;
  /** Everything that was logged, as text. */
  logged: string[];
  fetch(url: string, config?: ScrapeConfig, more?: Partial<FetchRequest>): Promise<FetchedPage>;
}

/** A fetcher that may reach `allow` beside the public internet. */
export async function createTestFetcher(
  allow: string,
  settings: Partial<FetchSettings> = {},
  deps: Partial<FetcherDeps> = {},
): Promise<TestFetcher> {
  const logged: string[] = [];
  const write = (fields: object, message: string): void => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log: FetchLog = { debug: write, info: write, warn: write, error: write };
  const fetcher = await createFetcher(
    { egressAllow: parseEgressAllow(allow), connectTimeoutMs: 5_000, ...settings },
    { log, ...deps },
  );
  return {
    fetcher,
    logged,
    fetch: (url, config = {}, more = {}) =>
      fetcher.fetchPage({
        url,
        // Enough for a machine that others use, and for the first start of Chromium there.
        config: { retries: 0, timeoutSeconds: 100, ...config },
        deadlineAt: Date.now() + 120_000,
        signal: new AbortController().signal,
        accountId: 'acc_test',
        ...more,
      }),
  };
}
