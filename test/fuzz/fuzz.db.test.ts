import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { startSystem, type System } from '../system/start-system.ts';
import { runFuzz } from './run-fuzz.ts';

const SITES = ['PHOTOAPP', 'VIDEOSITE', 'SHORTVIDEO', 'REALTY', 'PRONET'];
/** Half of the minute that the test may take: starting the system and a slow machine need the rest. */
const FOR_MS = 30_000;

let database: TestDatabase;
let site: Site;
let system: System;

beforeAll(async () => {
  database = await createTestDatabase();
  site = await startSite();
  system = await startSystem({
    databaseUrl: database.url,
    env: {
      GLEANER_PUBLIC_REQUESTS_PER_MINUTE: '1000000',
      ...Object.fromEntries(SITES.map((name) => [`GLEANER_SITE_${name}_ORIGIN`, site.url])),
    },
  });
}, 240_000);
afterAll(async () => {
  await system.stop();
  await site.close();
  await database.close();
});

test(
  'requests that are wrong in every way get answers that the OpenAPI document allows',
  // The last fetch that begins may take 120 s.
  { timeout: 200_000 },
  async () => {
    const { apiKey } = await system.client({ credits: 1_000_000, requestsPerMinute: 1_000_000 });
    const { findings, ...report } = await runFuzz({
      baseUrl: system.baseUrl,
      apiKey,
      siteUrl: site.url,
      seed: Number(process.env['FUZZ_SEED'] ?? 20_261_122),
      count: Number(process.env['FUZZ_COUNT'] ?? 800),
      forMs: FOR_MS,
      withSites: true,
    });
    console.log(`fuzzer: ${JSON.stringify(report)}`);
    expect(findings).toEqual([]);
    expect(report.sent).toBeGreaterThan(100);
  },
);
