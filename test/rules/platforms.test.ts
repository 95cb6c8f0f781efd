import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

/** Files that read /proc or /sys, and what they do on a system that has neither. */
const LINUX_FILES: Readonly<Record<string, string>> = {
  'bench/engine/cpu-of.ts': 'fails with a sentence',
  'bench/engine/demand-proc.ts': 'is that sentence',
  'bench/engine/memory-of.ts': 'fails with a sentence',
  'bench/start.ts': 'fails with a sentence',
  'packages/core/src/storage/databases/watch-readers.ts':
    'has Postgres read it; memory of readers is not limited',
  'packages/embedded-postgres/src/process-facts.ts': 'asks ps',
  'packages/fetching/src/browser/process-tree.ts': 'asks ps; memory of browsers is not limited',
  'packages/fetching/src/memory-admission.ts': 'counts the memory of its own process',
  'test/paused/main.ts': 'fails with a sentence',
  'test/soak/watch-processes.ts': 'test/soak/main.ts fails with a sentence',
  'test/system/watch-memory.ts': 'sees no memory; its tests check the rest',
};

it('reads /proc and /sys only where a system without them has another way', () => {
  const found = listFiles()
    .filter((path) => /^(apps|packages|scripts|bench|test)\/.*\.(ts|tsx|mjs|js)$/.test(path))
    .filter((path) => !/\.test\.tsx?$|\/dist\//.test(path))
    .filter((path) => /['"`]\/(proc|sys)\b/.test(readFileSync(join(root, path), 'utf8')));
  expect(found.toSorted()).toEqual(Object.keys(LINUX_FILES));
});

it('has no two files that macOS takes for one', () => {
  const paths = listFiles();
  expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
});

it('names one oldest Postgres of the service, in code, pages and containers', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const [, oldest = ''] = /OLDEST_POSTGRES = (\d+)/.exec(read('packages/db/src/server-version.ts')) ?? [];
  const named = listFiles()
    .filter((path) => /\.(md|ts|yml|mjs)$/.test(path) && !path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...read(path).matchAll(/Postgres\b[^|\n]{0,40}?(\d+) or newer|image: postgres:(\d+)/g)].map(
        ([, version, image]) => `${path}: ${version ?? image}`,
      ),
    );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((line) => !line.endsWith(`: ${oldest}`))).toEqual([]);
});
