import { startVitest } from 'vitest/node';
import { root } from './source-files.ts';
import { CHECKS, verify } from './verify.ts';

/**
 * `npm test`: every check, then every test. `npm test -- packages/core` runs only the tests of that folder.
 * The last line of the output counts both.
 */
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

const isVerified = filters.length > 0 || (await verify());
if (!isVerified) console.error('\nChecks failed; the tests run all the same.\n');

const totals = {
  passed: isVerified && filters.length === 0 ? CHECKS.length : 0,
  failed: isVerified ? 0 : 1,
  skipped: 0,
};
const vitest = await startVitest('test', filters, { root, run: true, watch: false });
for (const module of vitest.state.getTestModules()) {
  if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) totals.failed += 1;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'pending') totals.failed += 1;
    else totals[state] += 1;
  }
}
totals.failed += vitest.state.getUnhandledErrors().length;
const hasRun = totals.passed + totals.failed > (isVerified && filters.length === 0 ? CHECKS.length : 0);
await vitest.close();

if (!hasRun) console.error('No test ran.');
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
process.exit(totals.failed === 0 && hasRun && !process.exitCode ? 0 : 1);
