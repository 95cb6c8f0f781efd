import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { findFileCycles, findFolderCycles } from './folder-cycles.ts';
import { findImportFaults, isTestFile, listImports, type Manifest } from './import-rules.ts';
import { listFiles, report, root } from '../source-files.ts';

const paths = listFiles();
function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
const manifests = new Map(
  paths
    .filter((path) => /^((apps|packages)\/[^/]+\/|bench\/)?package\.json$/.test(path))
    .map((path): [string, Manifest] => {
      const folder = dirname(path);
      return [folder === '.' ? '' : folder, JSON.parse(read(path))];
    }),
);
const files = new Map(
  paths.filter((path) => /\.(ts|tsx|mts|mjs|js)$/.test(path)).map((path) => [path, read(path)]),
);
const relativeImports = new Map(
  [...files]
    .filter(([path]) => !isTestFile(path))
    .map(([path, text]) => [
      path,
      listImports(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.join(posix.dirname(path), specifier)),
    ]),
);
report('import rules', [
  ...findImportFaults({ files, manifests }),
  ...findFileCycles(relativeImports),
  ...findFolderCycles(relativeImports),
]);
