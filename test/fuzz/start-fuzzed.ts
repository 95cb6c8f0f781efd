import { startSite } from '../system/start-site.ts';
import { startSystem } from '../system/start-system.ts';

const SITES = ['PHOTOAPP', 'VIDEOSITE', 'SHORTVIDEO', 'REALTY', 'PRONET'];

/** A service for the fuzzer alone, with a site that it may fetch. */
interface Fuzzed {
  baseUrl: string;
  siteUrl: string;
  /** The key of a new account. */
  newKey: () => Promise<string>;
  stop: () => Promise<void>;
}

export async function startFuzzed(databaseUrl: string): Promise<Fuzzed> {
  const site = await startSite();
  const system = await startSystem({
    databaseUrl,
    env: {
      GLEANER_PUBLIC_REQUESTS_PER_MINUTE: '1000000',
      ...Object.fromEntries(SITES.map((name) => [`GLEANER_SITE_${name}_ORIGIN`, site.url])),
    },
  });
  return {
    baseUrl: system.baseUrl,
    siteUrl: site.url,
    newKey: async () => (await system.client({ credits: 1_000_000, requestsPerMinute: 1_000_000 })).apiKey,
    stop: async () => {
      await system.stop();
      await site.close();
    },
  };
}
