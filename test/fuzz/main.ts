import { runFuzz } from './run-fuzz.ts';

// FUZZ_BASE_URL, FUZZ_API_KEY and FUZZ_SITE_URL name a running service and a site that it may fetch; see docs/how-to/fuzz.md.
const { FUZZ_BASE_URL, FUZZ_API_KEY, FUZZ_SITE_URL, FUZZ_SEED = '1', FUZZ_COUNT = '20000' } = process.env;
if (FUZZ_BASE_URL === undefined || FUZZ_API_KEY === undefined || FUZZ_SITE_URL === undefined) {
  throw new Error('set FUZZ_BASE_URL, FUZZ_API_KEY and FUZZ_SITE_URL');
}
const report = await runFuzz({
  baseUrl: FUZZ_BASE_URL,
  apiKey: FUZZ_API_KEY,
  siteUrl: FUZZ_SITE_URL,
  seed: Number(FUZZ_SEED),
  count: Number(FUZZ_COUNT),
  forMs: 24 * 3600 * 1000,
  withSites: false,
});
console.log(JSON.stringify({ ...report, findings: report.findings.length }));
for (const finding of report.findings) console.log(`* ${finding}`);
process.exitCode = report.findings.length > 0 ? 1 : 0;
