import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

const CHECKED =
  /^(apps|packages|scripts|test|bench|docs|deploy|\.ci)\/.*\.(ts|tsx|mjs|md|yml|sh)$|^[^/]+\.(md|ts)$/;
/** Pieces of a path that `join` takes one by one, as one path. */
const PIECES = /'\.\.'(?:,\s*'[\w.-]+')*/g;
/** Files whose paths are texts of a test, or are seen from another place. */
const EXEMPT = new Set([
  'test/rules/outside-paths.test.ts',
  'test/rules/imports.test.ts',
  'test/fuzz/values.ts',
  'bench/scrape.ts',
  'packages/client/README.md',
]);
const CLIMBING = /(?<![\w./…-])(?:\.\.\/)+[\w.@/-]*/g;

function pathsIn(text: string): string[] {
  const joined = text.replaceAll(PIECES, (pieces) => pieces.replaceAll(/',\s*'/g, '/'));
  return [...joined.matchAll(CLIMBING)].map(([path]) => path);
}

/** Paths in a file that lead out of the project, seen from its folder and, as commands write them, from the root. */
function findOutsidePaths(file: string, text: string): string[] {
  const isInside = (from: string, path: string): boolean => {
    const target = posix.join(from, path);
    const [first = ''] = target.split('/');
    // A fresh clone has no dist yet.
    return !target.startsWith('..') && (first === 'dist' || existsSync(join(root, first)));
  };
  return pathsIn(text).filter((path) => {
    // A folder of that name may stand beside the project.
    const isSeen =
      !posix.join(dirname(file), path).startsWith('..') && existsSync(join(root, dirname(file), path));
    return !isSeen && !(isInside(dirname(file), path) && (isInside('.', path) || !file.endsWith('.md')));
  });
}

it('finds paths out of the project, in one piece and in several', () => {
  const found = (file: string, text: string): string[] => findOutsidePaths(file, text);
  expect(found('test/rules/a.ts', "join(import.meta.dirname, '../../../data/x.json')")).toHaveLength(1);
  expect(found('test/rules/a.ts', "join(import.meta.dirname, '..', '..', '..', 'data')")).toHaveLength(1);
  expect(found('test/a.ts', '/** Reads ../data/pages. */')).toHaveLength(1);
  expect(found('docs/use/a.md', 'agreement with ../data/pages')).toHaveLength(1);
  expect(found('docs/use/a.md', 'see [api](../build/architecture.md)')).toEqual([]);
  expect(found('test/rules/a.ts', "import '../../scripts/source-files.ts';")).toEqual([]);
});

it('names no file outside of the project', () => {
  const faults = listFiles()
    .filter((file) => CHECKED.test(file) && !EXEMPT.has(file))
    .flatMap((file) =>
      findOutsidePaths(file, readFileSync(join(root, file), 'utf8')).map((path) => `${file}: ${path}`),
    );
  expect(faults).toEqual([]);
});
