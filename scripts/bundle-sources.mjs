// Says whether dist/ was bundled from the sources as they are. Plain JavaScript: scripts/run.mjs runs on Node 18.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folder with the bundled processes. */
export const dist = join(root, 'dist');
/** The file that names the sources of a bundle; it is written last. */
export const DIGEST_FILE = 'sources.sha256';

/** Folders without code of the processes. */
const SKIPPED = /^(node_modules|dist|testing|test|\.types|\.tests)$/;
/** Built on its own (apps/dashboard/build.ts); the API has a folder of the same name. */
const DASHBOARD = join(root, 'apps', 'dashboard');

function* sourceFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (SKIPPED.test(entry.name) || path === DASHBOARD) continue;
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (/\.(ts|json|sql)$/.test(entry.name) && !entry.name.endsWith('.test.ts')) yield path;
  }
}

/** A digest of all sources, of the lockfile and of the bundler's own settings. */
export function digestSources() {
  const hash = createHash('sha256');
  const files = ['apps', 'packages'].flatMap((folder) => [...sourceFiles(join(root, folder))]).sort();
  for (const name of ['package-lock.json', 'scripts/bundle.ts', 'scripts/packages/external-packages.ts'])
    files.push(join(root, name));
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** Whether dist/ holds the sources as they are. */
export function isBundled() {
  const file = join(dist, DIGEST_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === digestSources();
}
