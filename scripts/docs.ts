import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeClientTypes } from './client/write-types.ts';
import {
  findDeadCitations,
  findDeadPaths,
  findLooseSnippets,
  findUnreachablePages,
  findVersionFaults,
} from './docs/doc-rules.ts';
import {
  configurationTable,
  errorsPage,
  priceTable,
  scrapeConfigTable,
  trackingList,
  withExamples,
  withGenerated,
} from './docs/generated-docs.ts';
import { dependenciesPage } from './packages/dependencies-page.ts';
import { pythonFiles } from './python/python-file.ts';
import type { LockedPackages } from './packages/lockfile-packages.ts';
import { listFiles, report, root } from './source-files.ts';

/** `docs.ts` writes the generated pages; `docs.ts --check` only compares them, and looks for dead links and paths. */
const isCheck = process.argv.includes('--check');

function read(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}

function versionOf(manifest: string): string {
  return (JSON.parse(read(manifest)) as { version: string }).version;
}

const generated = new Map([
  ['docs/use/errors.md', errorsPage()],
  ['docs/build/dependencies.md', dependenciesPage(JSON.parse(read('package-lock.json')) as LockedPackages)],
  ...[
    ['docs/operate/configuration.md', 'configuration', configurationTable()] as const,
    ['docs/use/crawls.md', 'tracking', trackingList()] as const,
    ['docs/use/credits.md', 'prices', priceTable()] as const,
    ['docs/use/fetching.md', 'scrape_config', scrapeConfigTable()] as const,
  ].map(([path, name, text]) => [path, withGenerated(read(path), name, text)] as const),
  ...[...pythonFiles(versionOf('packages/client/package.json'))].map(
    ([name, text]) => [`clients/python/gleaner/${name}`, text] as const,
  ),
  [
    'packages/client/README.md',
    withExamples(read('packages/client/README.md'), (name) => read(`packages/client/examples/${name}`)),
  ],
]);

if (isCheck) {
  const stale = [...generated]
    .filter(([path, text]) => read(path) !== text)
    .map(([path]) => `${path} is not current: run npm run docs`);
  const files = listFiles();
  const pages = new Map(files.filter((path) => path.endsWith('.md')).map((path) => [path, read(path)]));
  const manifests = ['package.json', 'packages/client/package.json'];
  report('docs', [
    ...stale,
    ...[...pages].flatMap(([path, text]) => findDeadPaths(root, path, text)),
    ...[...pages].flatMap(([path, text]) => findLooseSnippets(path, text)),
    ...findUnreachablePages(pages),
    ...findVersionFaults(pages, new Map(manifests.map((path) => [path, versionOf(path)]))),
    ...files.flatMap((path) => findDeadCitations(root, path, () => read(path))),
  ]);
} else {
  for (const [path, text] of generated) writeFileSync(join(root, path), text);
  writeClientTypes();
}
