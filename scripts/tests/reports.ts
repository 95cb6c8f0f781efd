import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../source-files.ts';
import type { TestReport } from './run-vitest.ts';

/** Where a workspace keeps what its last run counted, from the workspace's folder. */
export const REPORT_FILE = '.tests/report.json';

/** The folders of all workspaces whose `package.json` has a script `test`, and the root's own tests. */
function testedFolders(): string[] {
  const workspaces = globSync('{packages,apps}/*/package.json', { cwd: root }).filter((file) => {
    const { scripts } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      scripts?: Record<string, string>;
    };
    return scripts?.test !== undefined;
  });
  return ['.', ...workspaces.map((file) => join(file, '..'))];
}

/** Removes what earlier runs left, so that a workspace whose run broke off isn't counted as it was before. */
export function removeReports(): void {
  for (const folder of testedFolders()) rmSync(join(root, folder, REPORT_FILE), { force: true });
}

/** Adds up what the workspaces counted. A workspace without a report counts as one failure. */
export function readReports(): TestReport {
  const reports = testedFolders().map((folder): TestReport => {
    const file = join(root, folder, REPORT_FILE);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as TestReport;
    return { passed: 0, failed: 1, files: [], skipped: [`NOT RUN: the tests of ${folder}`] };
  });
  return sumReports(reports);
}

export function sumReports(reports: readonly TestReport[]): TestReport {
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    files: reports.flatMap(({ files }) => files),
    skipped: reports.flatMap(({ skipped }) => skipped),
  };
}
