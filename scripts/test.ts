import { removeReports, readReports, sumReports } from './tests/reports.ts';
import { runVitest, type TestReport } from './tests/run-vitest.ts';
import { runTurbo } from './turbo.ts';
import { CHECKS, verify } from './verify.ts';

const SLOWEST = 10;

/**
 * `npm test`: every check, then all tests that start no process of the service, and one short file for each door.
 * `npm run test:system`: the tests of real processes and browsers. `npm test -- packages/core`: the tests of that
 * folder, of either tier; `--long`: in their whole form.
 * At the end come the slowest files, the skipped ones with what they lack, the time, and a line that counts.
 */
async function main(words: readonly string[]): Promise<void> {
  const started = performance.now();
  const filters = words.filter((word) => !word.startsWith('-'));
  const isLong = words.includes('--long');
  const report = await (filters.length > 0
    ? runVitest('all', filters, { isLong })
    : words.includes('--system')
      ? runVitest('system', [], { isLong })
      : runFirstTier(isLong));
  const minutes = (performance.now() - started) / 60_000;
  if (report.passed + report.failed === 0) console.log('No test ran.');
  const lines = [
    ...slowestFiles(report),
    ...report.skipped,
    '',
    `${Math.floor(minutes)} min ${Math.round((minutes % 1) * 60)} s`,
    `${report.passed} passed, ${report.failed} failed`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(report.failed === 0 && report.passed > 0 ? 0 : 1);
}

async function runFirstTier(isLong: boolean): Promise<TestReport> {
  const isVerified = await verify();
  if (!isVerified) console.error('\nChecks failed; the tests run all the same.\n');
  const checks = {
    passed: isVerified ? CHECKS.length : 0,
    failed: isVerified ? 0 : 1,
    files: [],
    skipped: [],
  };
  // Turbo keeps results of the short form alone.
  const unit = isLong ? await runVitest('unit', [], { isLong }) : await runPackages();
  return sumReports([checks, unit, await runVitest('services', [], { isLong })]);
}

async function runPackages(): Promise<TestReport> {
  removeReports();
  await runTurbo(['test', 'test:rules']);
  return readReports();
}

function slowestFiles({ files }: TestReport): string[] {
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  return [
    '',
    'Slowest:',
    ...slowest.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}`),
  ];
}

await main(process.argv.slice(2));
