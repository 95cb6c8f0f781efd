import { nameOf, type LockedPackages } from './lockfile-packages.ts';

/** Where Gleaner is meant to run. npm calls them by Node's `process.platform` and `process.arch`. */
const PLATFORMS = [
  { os: 'linux', cpu: 'x64' },
  { os: 'linux', cpu: 'arm64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'darwin', cpu: 'x64' },
] as const;

/**
 * Finds packages whose lockfile entry misses the binary of a platform that the package is published for. npm writes
 * such a lockfile when the registry lacks the binary at that moment, and `npm ci` then fails on that platform.
 * @returns one line per missing binary
 */
export function findMissingPlatforms({ packages }: LockedPackages): string[] {
  const locked = new Set(Object.keys(packages).map(nameOf));
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const variants = Object.keys(optionalDependencies);
    return PLATFORMS.flatMap((platform) => {
      const missing = variants.filter((name) => isFor(name, platform) && !locked.has(name));
      return missing.map((name) => `${path || 'package.json'}: the lockfile lacks ${name}`);
    });
  });
}

/** Publishers put platform and processor into the name: `impit-linux-x64-gnu`, `@turbo/darwin-64`. */
function isFor(name: string, { os, cpu }: (typeof PLATFORMS)[number]): boolean {
  const words = name.split(/[/-]/);
  return words.includes(os) && (words.includes(cpu) || (cpu === 'x64' && words.includes('64')));
}
