import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOperationsFile } from './client/client-file.ts';
import { dependenciesPage } from './packages/dependencies-page.ts';
import { findDeadPaths } from './docs/doc-rules.ts';
import { errorsPage, withConfigurationTable, withExamples } from './docs/generated-docs.ts';
import type { LockedPackages } from './packages/lockfile-packages.ts';
import { listFiles, report, root } from './source-files.ts';

/** `docs.ts` writes the generated pages; `docs.ts --check` only compares them, and looks for dead paths. */
const isCheck = process.argv.includes('--check');

function read(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}

const generated = new Map([
  ['docs/errors.md', errorsPage()],
  ['docs/dependencies.md', dependenciesPage(JSON.parse(read('package-lock.json')) as LockedPackages)],
  ['README.md', withConfigurationTable(read('README.md'))],
  ['packages/client/src/generated/operations.ts', clientOperationsFile()],
  [
    'packages/client/README.md',
    withExamples(read('packages/client/README.md'), (name) => read(`packages/client/examples/${name}`)),
  ],
]);

if (isCheck) {
  const stale = [...generated]
    .filter(([path, text]) => read(path) !== text)
    .map(([path]) => `${path} is not current: run npm run docs`);
  const dead = listFiles()
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => findDeadPaths(root, path, read(path)));
  report('docs', [...stale, ...dead]);
} else {
  for (const [path, text] of generated) writeFileSync(join(root, path), text);
}
