import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Bundled before the tests start (test/global-setup.ts). */
const MAIN = join(import.meta.dirname, '../../../../../dist/cli.js');

export type Ended = SpawnSyncReturns<string>;

/** Runs `gleaner` with these settings alone. @param cwd a folder of the test */
export function runGleaner(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[]): Ended {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

/** Expects an error in plain lines: no stack, nothing of the database's own texts. */
export function expectFault(ended: Ended, text: RegExp): void {
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(text);
  expect(ended.stderr).not.toMatch(/^ +at |Failed query|violates/m);
}
