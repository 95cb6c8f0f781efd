import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './source-files.ts';

const SUMMARIES = join(root, '.turbo', 'runs');

/**
 * Runs tasks of turbo.json, side by side, and prints only what fails. Turbo remembers what passed by the sources, by
 * Node and by the test data.
 * @returns the tasks that failed or were not run, such as `@gleaner/core#test`
 */
export async function runTurbo(tasks: readonly string[]): Promise<readonly string[]> {
  const turbo = join(root, 'node_modules', '.bin', 'turbo');
  rmSync(SUMMARIES, { recursive: true, force: true });
  const options = [
    '--continue',
    '--concurrency=2',
    '--output-logs=errors-only',
    '--log-order=grouped',
    '--summarize',
  ];
  const child = spawn(turbo, ['run', ...tasks, ...options], {
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
  });
  await new Promise((done) => {
    child.once('error', done);
    child.once('exit', done);
  });
  return failedTasks() ?? tasks;
}

interface Summary {
  tasks: { taskId: string; command: string; execution: { exitCode?: number } | null }[];
}

/** What the summary of the run names; undefined when turbo wrote none. */
function failedTasks(): readonly string[] | undefined {
  const [name] = existsSync(SUMMARIES) ? readdirSync(SUMMARIES) : [];
  if (name === undefined) return undefined;
  const { tasks } = JSON.parse(readFileSync(join(SUMMARIES, name), 'utf8')) as Summary;
  return tasks
    .filter(({ command, execution }) => command !== '<NONEXISTENT>' && execution?.exitCode !== 0)
    .map(({ taskId }) => taskId);
}

/** A digest of the folder in `GLEANER_TEST_DATA`: the names, sizes and times of its files; '' without one. */
function digestTestData(): string {
  const folder = process.env.GLEANER_TEST_DATA;
  if (folder === undefined || folder === '') return '';
  const path = resolve(root, folder);
  if (!existsSync(path)) return '';
  const hash = createHash('sha256');
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
