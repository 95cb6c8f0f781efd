/** The parts of a package-lock.json (lockfileVersion 3) that the scripts read. Paths are relative to the root. */
export interface LockedPackage {
  version?: string;
  license?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export interface LockedPackages {
  packages: Record<string, LockedPackage>;
}

/** `node_modules/a/node_modules/@b/c` → `@b/c` */
export function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '');
}

/** Where Node finds `name` for the code at `from`: its own node_modules, or that of a folder above it. */
function resolve({ packages }: LockedPackages, from: string, name: string): string | undefined {
  let folder = from;
  for (;;) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return undefined;
    const at = folder.lastIndexOf('/node_modules/');
    folder = at === -1 ? '' : folder.slice(0, at);
  }
}

/** The packages that `path` needs at run time, by name. Optional peers count only if something else installs them. */
function needsOf({ dependencies, optionalDependencies, peerDependencies, ...rest }: LockedPackage): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => rest.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/** All packages that the given ones need, with themselves, as paths of the lockfile. */
export function withDependencies(lockfile: LockedPackages, roots: Iterable<string>): Set<string> {
  const found = new Set(roots);
  for (const path of found) {
    for (const name of needsOf(lockfile.packages[path] ?? {})) {
      const needed = resolve(lockfile, path, name);
      if (needed !== undefined) found.add(needed);
    }
  }
  return found;
}
