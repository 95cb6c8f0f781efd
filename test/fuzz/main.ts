import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '@gleaner/embedded-postgres';
import { runFuzz } from './run-fuzz.ts';
import { startFuzzed } from './start-fuzzed.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seeds: { type: 'string', default: '5' },
    count: { type: 'string', default: '10000' },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'gleaner-fuzz-'));
await chmod(folder, 0o711);
const server = await startPostgres({ dataDir: folder, durable: false, log: () => undefined });
const fuzzed = await startFuzzed(server.url);
let sent = 0;
let findings = 0;
for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.seeds); seed += 1) {
  const report = await runFuzz({
    baseUrl: fuzzed.baseUrl,
    siteUrl: fuzzed.siteUrl,
    apiKey: await fuzzed.newKey(),
    seed,
    count: Number(values.count),
    forMs: 24 * 3600 * 1000,
    atOnce: 24,
  });
  sent += report.sent;
  findings += report.findings.length;
  console.log(JSON.stringify({ seed, ...report, findings: report.findings.length }));
  for (const finding of report.findings) console.log(`* ${finding}`);
}
console.log(JSON.stringify({ sent, findings }));
await fuzzed.stop();
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exitCode = findings > 0 ? 1 : 0;
