import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './source-files.ts';

/**
 * Runs tasks of turbo.json, side by side, and prints only what fails. Turbo remembers what passed by the sources, by
 * Node and by the test data.
 * @returns whether every task passed
 */
export async function runTurbo(tasks: readonly string[]): Promise<boolean> {
  const turbo = join(root, 'node_modules', '.bin', 'turbo');
  const child = spawn(
    turbo,
    ['run', ...tasks, '--continue', '--concurrency=2', '--output-logs=errors-only', '--log-order=grouped'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        GLEANER_NODE: `${process.version} ${process.platform} ${process.arch}`,
        GLEANER_TEST_DATA_DIGEST: digestTestData(),
        TURBO_TELEMETRY_DISABLED: '1',
        DO_NOT_TRACK: '1',
        TURBO_NO_UPDATE_NOTIFIER: '1',
      },
    },
  );
  const code = await new Promise((done) => {
    child.once('error', () => done(1));
    child.once('exit', done);
  });
  return code === 0;
}

/** Of the folder in `GLEANER_TEST_DATA`: the names, sizes and times of its files; '' without one. */
function digestTestData(): string {
  const folder = process.env.GLEANER_TEST_DATA;
  if (folder === undefined || folder === '' || !existsSync(resolve(root, folder))) return '';
  const hash = createHash('sha256');
  const path = resolve(root, folder);
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
