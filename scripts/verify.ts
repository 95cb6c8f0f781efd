import { runTurbo } from './turbo.ts';

/** All checks that need no service. Turbo runs them side by side and remembers what passed. */
export const CHECKS = [
  'typecheck',
  'lint',
  'format:check',
  'knip',
  'imports',
  'lockfile',
  'settings',
  'docs:check',
] as const;

/** @returns whether every check passed */
export function verify(): Promise<boolean> {
  return runTurbo(CHECKS);
}

if (import.meta.main) process.exitCode = (await verify()) ? 0 : 1;
