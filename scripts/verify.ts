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

if (import.meta.main) process.exitCode = (await runTurbo(CHECKS)).length === 0 ? 0 : 1;
