import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EXTERNAL_PACKAGES } from './external-packages.ts';
import { nameOf, withDependencies, type LockedPackages } from './lockfile-packages.ts';

/**
 * Removes from node_modules what dist/ holds already: all packages but those that stay out of the bundle and what they
 * need. For the image, where node_modules is the larger part; run it in the folder of package-lock.json.
 */
const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockedPackages;
const paths = Object.keys(lockfile.packages).filter((path) => path.includes('node_modules/'));
const roots = paths.filter(
  (path) => EXTERNAL_PACKAGES.test(nameOf(path)) && !path.includes('/node_modules/'),
);
const kept = [...withDependencies(lockfile, roots)];
for (const path of paths) {
  // A package stays as long as something inside it does.
  if (!kept.some((other) => other === path || other.startsWith(`${path}/`))) {
    rmSync(join(process.cwd(), path), { recursive: true, force: true });
  }
}
rmSync(join(process.cwd(), 'node_modules', '.bin'), { recursive: true, force: true });
