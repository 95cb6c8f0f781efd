import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './source-files.ts';

/** All checks that need no service; `lint` compiles too. Turbo runs them side by side and remembers what passed. */
export const CHECKS = [
  'lint',
  'format:check',
  'knip',
  'imports',
  'lockfile',
  'settings',
  'docs:check',
] as const;

/** @returns whether every check passed */
export async function verify(): Promise<boolean> {
  const turbo = join(root, 'node_modules', '.bin', 'turbo');
  const args = ['run', ...CHECKS, '--continue', '--output-logs=errors-only', '--log-order=grouped'];
  const child = spawn(turbo, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  });
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', resolve);
  });
  return code === 0;
}

if (import.meta.main) process.exitCode = (await verify()) ? 0 : 1;
