import { removeReports, readReports, sumReports } from './tests/reports.ts';
import { runVitest, type TestReport } from './tests/run-vitest.ts';
import { runTurbo } from './turbo.ts';
import { CHECKS } from './verify.ts';

/** What turbo runs of the tests: those of packages, and those of the project itself. */
const UNIT_TASKS = ['test', 'test:rules'];

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
  removeReports();
  // Turbo keeps results of the short form alone.
  const failed = await runTurbo(isLong ? CHECKS : [...CHECKS, ...UNIT_TASKS]);
  const failedChecks = new Set(
    failed.map((task) => task.replace(/^.*#/, '')).filter((name) => !UNIT_TASKS.includes(name)),
  );
  const checks = {
    passed: CHECKS.length - failedChecks.size,
    failed: failedChecks.size,
    files: [],
    skipped: [...failedChecks].map((name) => `FAILED: npm run ${name}`),
  };
  const unit = isLong ? await runVitest('unit', [], { isLong }) : readReports();
  return sumReports([checks, unit, await runVitest('services', [], { isLong })]);
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
