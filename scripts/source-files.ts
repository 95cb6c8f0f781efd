import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Every file of the project that is not ignored, as paths from the root: tracked ones and new ones. */
export function listFiles(): string[] {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (git.status === 0)
    return git.stdout.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  // A copy without its repository (a tarball): everything outside node_modules.
  return globSync('{apps,bench,docs,packages,scripts,test}/**/*.*', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  }).concat(globSync('*.*', { cwd: root }));
}

/** Prints the faults of a check and sets the exit code. */
export function report(check: string, faults: readonly string[]): void {
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? `${check}: no faults` : `${check}: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
