import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../source-files.ts';
import { REPORT_FILE } from './reports.ts';
import { runVitest } from './run-vitest.ts';

/**
 * The `test` of one workspace, which turbo runs: its tests that need no service. What it counts is kept in a file of the
 * workspace, which turbo brings back when nothing has changed.
 */
async function main(): Promise<void> {
  const folder = process.cwd();
  const path = relative(root, folder);
  const file = join(folder, REPORT_FILE);
  rmSync(file, { force: true });
  // The project's own tests are those of `test`.
  const report = await runVitest('unit', [path === '' ? 'test/' : `${path}/src/`], { passWithNoTests: true });
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify(report));
  process.exit(report.failed === 0 ? 0 : 1);
}

await main();
