import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../clients/python');

/** Debian's, for which its packages are; else another. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

function run(...args: string[]): { status: number | null; text: string } {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { status, stdout, stderr } = spawnSync(python, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 280_000,
  });
  return { status, text: `${stdout ?? ''}${stderr ?? ''}` };
}

function has(code: string): boolean {
  return run('-c', code).status === 0;
}

const isNew = has('import sys; sys.exit(sys.version_info < (3, 10))');

it.skipIf(!isNew)(
  'the Python client passes its tests',
  { meta: { missing: 'python3 of 3.10 or newer' } },
  () => {
    const { status, text } = run('-W', 'error::ResourceWarning', '-m', 'unittest', '-q');
    expect(status, text).toBe(0);
  },
);

it.skipIf(!isNew || !has('import mypy'))(
  'the Python client is typed whole',
  { meta: { missing: 'mypy for python3' } },
  () => {
    const { status, text } = run('-m', 'mypy', '--strict', '--cache-dir=/dev/null', 'gleaner', 'tests');
    expect(status, text).toBe(0);
  },
);

it.skipIf(!isNew || !has('import pandas'))(
  'the Python client makes frames',
  { meta: { missing: 'pandas for python3' } },
  () => {
    const { status, text } = run('-m', 'unittest', '-q', 'tests.test_client.Frames');
    expect(status, text).toBe(0);
    expect(text).not.toContain('skipped');
  },
);
