// Whether the packages of package-lock.json are installed. Runs in Node 18, before any package is there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the packages that npm wrote down in a lockfile, by their folder; without the project's own */
function packagesOf(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}

/**
 * Compares npm's own record of an install, which it writes last, with the lockfile. Versions of the project itself
 * change nothing in it, so they need no new install.
 * @param root the folder of package-lock.json and node_modules
 * @param forDevelopment whether tests and checks need their packages too, which the service runs without
 * @param machine the platform and architecture that the packages must fit
 */
export function isInstalled(root, { forDevelopment = true, machine = process } = {}) {
  const { platform, arch } = machine;
  try {
    const installed = new Map(packagesOf(join(root, 'node_modules', '.package-lock.json')));
    const isThere = ([path, { version, optional, dev }]) =>
      installed.get(path)?.version === version ||
      (!installed.has(path) && (optional === true || (dev === true && !forDevelopment)));
    const isMade = ({ os, cpu }) => (os?.includes(platform) ?? true) && (cpu?.includes(arch) ?? true);
    return (
      packagesOf(join(root, 'package-lock.json')).every(isThere) && [...installed.values()].every(isMade)
    );
  } catch {
    return false;
  }
}
