import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runFuzz } from './run-fuzz.ts';
import { startFuzzed } from './start-fuzzed.ts';

/** `npm run fuzz` sends many more. */
const COUNT = inject('isLong') ? 800 : 120;

let database: TestDatabase;
let fuzzed: Awaited<ReturnType<typeof startFuzzed>>;

beforeAll(async () => {
  database = await createTestDatabase();
  fuzzed = await startFuzzed(database.url);
});
afterAll(async () => {
  await fuzzed.stop();
  await database.close();
});

test(
  'requests that are wrong in every way get answers that the OpenAPI document allows',
  { timeout: 600_000 },
  async () => {
    const { findings, ...report } = await runFuzz({
      baseUrl: fuzzed.baseUrl,
      apiKey: await fuzzed.newKey(),
      siteUrl: fuzzed.siteUrl,
      seed: 20_261_122,
      count: COUNT,
      forMs: Infinity,
      atOnce: 4,
    });
    console.log(`fuzzer: ${JSON.stringify(report)}`);
    expect(findings).toEqual([]);
    expect(report.sent).toBe(COUNT);
  },
);
