import { startVitest, type TestCase, type TestModule, type Vitest } from 'vitest/node';
import { root } from '../source-files.ts';
import { TIER_VARIABLE, type TierName } from './tiers.ts';

/** What a run of tests says at its end, and what a package keeps of its own run. */
export interface TestReport {
  passed: number;
  failed: number;
  /** Each file with its time, the import of its modules included. */
  files: { name: string; ms: number }[];
  /** A line for each file with skipped tests: how many, and why. */
  skipped: string[];
}

/**
 * Runs tests in this process and its forks.
 * @param filters beginnings or parts of paths; none means all files of the tier
 */
export async function runVitest(
  tier: TierName,
  filters: readonly string[],
  { isLong = false, passWithNoTests = false } = {},
): Promise<TestReport> {
  process.env[TIER_VARIABLE] = tier;
  const vitest = await startVitest('test', [...filters], {
    root,
    config: `${root}/vitest.config.ts`,
    run: true,
    watch: false,
    passWithNoTests,
    provide: { isLong },
  });
  const report = { ...countTests(vitest), files: filesOf(vitest), skipped: skippedFiles(vitest) };
  await vitest.close();
  // Vitest sets it for what no test can be blamed for.
  if (process.exitCode && report.failed === 0) report.failed = 1;
  return report;
}

/** A test that never began, a file that could not be read and an error outside of tests count as failed. */
function countTests(vitest: Vitest): { passed: number; failed: number } {
  const counts = { passed: 0, failed: vitest.state.getUnhandledErrors().length, pending: 0, skipped: 0 };
  for (const module of vitest.state.getTestModules()) {
    const tests = [...module.children.allTests()].map((test) => test.result().state);
    for (const state of tests) counts[state] += 1;
    if (module.state() === 'failed' && !tests.includes('failed')) counts.failed += 1;
  }
  return { passed: counts.passed, failed: counts.failed + counts.pending };
}

function filesOf(vitest: Vitest): TestReport['files'] {
  return vitest.state
    .getTestModules()
    .map((module) => ({ name: module.relativeModuleId, ms: durationOf(module) }));
}

function durationOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
}

function skippedFiles(vitest: Vitest): string[] {
  return vitest.state.getTestModules().flatMap((module) => {
    const skipped = [...module.children.allTests('skipped')];
    if (skipped.length === 0) return [];
    const reasons = new Set(skipped.map(reasonOf));
    return [`SKIPPED ${skipped.length} of ${module.relativeModuleId}: ${[...reasons].join('; ')}`];
  });
}

/** Why a test was skipped: its note, or what it or a suite around it says is missing. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  for (let task: TestCase['parent'] | TestCase = test; task.type !== 'module'; task = task.parent) {
    const { missing } = task.meta();
    if (missing !== undefined) return missing;
  }
  return 'it gives no reason';
}
