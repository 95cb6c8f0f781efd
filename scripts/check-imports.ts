import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findImportFaults, type Manifest } from './import-rules.ts';
import { listFiles, report, root } from './source-files.ts';

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
report('import rules', findImportFaults({ files, manifests }));
