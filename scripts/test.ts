import { startVitest, type TestCase, type TestModule, type Vitest } from 'vitest/node';
import { root } from './source-files.ts';
import { CHECKS, verify } from './verify.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests run in their whole form, which may take an hour. */
    isLong: boolean;
  }
  interface TaskMeta {
    /** What this machine lacks for a test or a suite that is skipped. */
    missing?: string;
  }
}

const SLOWEST = 10;

/**
 * `npm test`: every check, then every test. `npm test -- packages/core` runs only the tests of that folder, and
 * `npm test -- --long` all of them in their whole form.
 * At the end come the slowest files, the skipped ones with what they lack, and a line that counts checks and tests.
 */
async function main(filters: string[], isLong: boolean): Promise<void> {
  const isWhole = filters.length === 0;
  const isVerified = !isWhole || (await verify());
  if (!isVerified) console.error('\nChecks failed; the tests run all the same.\n');
  const vitest = await startVitest('test', filters, {
    root,
    run: true,
    watch: false,
    provide: { isLong },
  });
  const { passed, failed } = countTests(vitest);
  const lines = [...slowestFiles(vitest), ...skippedFiles(vitest)];
  await vitest.close();
  if (passed + failed === 0) lines.push('No test ran.');
  const checks = isWhole && isVerified ? CHECKS.length : 0;
  const faults = failed + (isVerified ? 0 : 1);
  lines.push('', `${passed + checks} passed, ${faults} failed`);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(faults === 0 && passed > 0 && !process.exitCode ? 0 : 1);
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

function slowestFiles(vitest: Vitest): string[] {
  const files = vitest.state
    .getTestModules()
    .map((module) => ({ name: module.relativeModuleId, ms: durationOf(module) }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
  return [
    '',
    'Slowest:',
    ...files.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}`),
  ];
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

const words = process.argv.slice(2);
await main(
  words.filter((word) => !word.startsWith('-')),
  words.includes('--long'),
);
