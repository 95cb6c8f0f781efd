import { posix } from 'node:path';
import { isBuiltin } from 'node:module';

/** The packages that an app may import, unless it has a line of its own below. */
const APP_ARROWS = [
  'contracts',
  'db',
  'queue',
  'core',
  'extractors',
  'learn',
  'threads',
  'fetching',
  'embedded-postgres',
];

/** The packages that a workspace may import: the arrows of docs/build/architecture.md. */
const ARROWS: Record<string, readonly string[]> = {
  'packages/contracts': [],
  'packages/html': [],
  'packages/extractors': ['contracts', 'html'],
  'packages/learn': ['contracts', 'html', 'extractors'],
  'packages/threads': ['contracts', 'html', 'extractors', 'learn'],
  'packages/embedded-postgres': [],
  'packages/db': ['contracts'],
  'packages/queue': ['contracts'],
  'packages/fetching': ['contracts'],
  'packages/core': ['contracts', 'db', 'queue', 'extractors', 'learn', 'threads', 'fetching'],
  // Published, it stands alone (below): values take the place of the file that imports them.
  'packages/client': ['contracts'],
  // It runs in the browser, the engine included.
  'apps/dashboard': ['contracts', 'client', 'html', 'extractors', 'learn'],
  'apps/cli': [...APP_ARROWS, 'client'],
};

/** Finds what no package holds, so tests of all packages import it from where it is. */
const TEST_DATA = 'test/test-data.mjs';

/** Workspaces that are bundled: their dependencies end up in the bundle and are not installed where it is served. */
const BUNDLED = new Set(['apps/dashboard']);

/** Imports that are banned in a folder. */
const BANNED_IMPORTS: readonly { in: RegExp; unless?: RegExp; what: RegExp; why: string }[] = [
  {
    in: /^apps\//,
    what: /^(drizzle-orm|drizzle-kit|postgres|pg)(\/|$)/,
    why: 'SQL belongs in packages/core or packages/db',
  },
  { in: /^packages\/contracts\//, what: /^node:/, why: 'contracts must also run in a browser' },
  {
    in: /^packages\/client\/src\//,
    unless: /^packages\/client\/src\/(contracts|list-routes|place-of)\.ts$/,
    what: /^(node:|@gleaner\/|zod(\/|$))/,
    why: 'the client is published alone, and runs in browsers and edge runtimes',
  },
  { in: /^apps\/dashboard\/src\//, what: /^node:/, why: 'the dashboard runs in a browser' },
  {
    in: /^packages\/contracts\/src\/values\//,
    what: /^(?!\.\/)/,
    why: 'values import no library and no schema, so that the dashboard bundles nothing else',
  },
  {
    in: /^packages\/(html|extractors|learn)\//,
    what: /^(node:(fs|net|tls|http|https|http2|dns|dgram|child_process|process|os|timers)(\/|$)|undici)/,
    why: 'what reads pages is pure: text in, data out',
  },
];

/**
 * Text that is SQL: a `sql` template (also with a type, `sql<{ id: string }[]>`), a raw query, a channel, or the
 * beginning of a statement in capitals. It is a check of text: a statement put together from parts can escape it.
 */
const SQL_TEXT = new RegExp(
  [
    /\bsql\s*(?:<(?:[^<>`]|<[^<>`]*>)*>\s*)?`/,
    /\bsql\b[^;\n]*\.(?:unsafe|listen|notify)\(/,
    /\b(?:SELECT\s+[\w*(]|INSERT\s+INTO\s|DELETE\s+FROM\s|UPDATE\s+[\w."]+\s+SET\s|TRUNCATE\s+[\w."])/,
    /\b(?:CREATE|ALTER|DROP)\s+(?:TABLE|SCHEMA|DATABASE|ROLE|INDEX|FUNCTION)\s/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** An import that loads all contracts. */
const VALUES_OF_CONTRACTS =
  /(?:^|[;\n])\s*(?:import|export)\s+(?!type\s)[^;'"]*?\bfrom\s*['"]@gleaner\/contracts['"]/;

/** Text that may not be in the code of these folders. Comments are ignored. */
const BANNED_TEXT: readonly { in: RegExp; unless?: RegExp; what: RegExp; why: string }[] = [
  {
    in: /^(apps|packages)\//,
    // The queue on Postgres has a schema of its own; the CLI creates the database before anybody can connect to it.
    unless:
      /^packages\/(core|db)\/|^packages\/queue\/src\/postgres|^packages\/embedded-postgres\/src\/initialise\.ts$/,
    what: SQL_TEXT,
    why: 'SQL belongs in packages/core or packages/db',
  },
  {
    in: /^packages\/(core|db)\/src\//,
    what: /(?<![\w./])engine\.(?:[a-z]|\$\{)/,
    why: "the functions' schema has a name per version: write ${sql(ENGINE)}. or, with Drizzle, ${sql.identifier(ENGINE)}.",
  },
  {
    in: /^apps\/dashboard\/src\//,
    what: VALUES_OF_CONTRACTS,
    why: 'the dashboard imports values from @gleaner/contracts/values, which has no zod, and types alone from the rest',
  },
  {
    in: /^packages\/(extractors|learn|threads)\/src\//,
    unless: /^packages\/extractors\/src\/sites\//,
    what: VALUES_OF_CONTRACTS,
    why: 'threads load this: import values from @gleaner/contracts/errors, parser-schema, text or values, and types alone from the rest',
  },
  {
    in: /^packages\/(extractors|learn)\/src\//,
    what: /\bDate\.now\(|\bnew Date\(\)|\bprocess\.env\b|\bfetch\(/,
    why: 'what reads pages has no clock, environment or network',
  },
];

const BANNED_NAMES = /(^|\/)(utils?|helpers?|common|misc)(\.[a-z]+)*(\/|$)/;

export interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export interface Sources {
  /** Path from the root → text. TypeScript and JavaScript alone. */
  files: ReadonlyMap<string, string>;
  /** Workspace folder → its package.json; the root's under ''. */
  manifests: ReadonlyMap<string, Manifest>;
}

/** Checks every import and file name. @returns one line per fault */
export function findImportFaults({ files, manifests }: Sources): string[] {
  const faults: string[] = [];
  for (const [path, text] of files) {
    if (BANNED_NAMES.test(path))
      faults.push(`${path}: name it for what it holds (no utils, helpers, common)`);
    const folder = workspaceOf(path, manifests);
    if (folder === undefined) continue;
    const isTest = isTestFile(path);
    for (const specifier of listImports(text)) {
      const fault =
        importFault({ path, folder, specifier, isTest }, manifests) ??
        (isTest ? undefined : bannedBy(BANNED_IMPORTS, path, specifier));
      if (fault !== undefined) faults.push(`${path}: imports ${specifier}: ${fault}`);
    }
    const textFault = isTest ? undefined : bannedBy(BANNED_TEXT, path, withoutComments(text));
    if (textFault !== undefined) faults.push(`${path}: ${textFault}`);
  }
  return faults;
}

function bannedBy(rules: typeof BANNED_TEXT, path: string, text: string): string | undefined {
  return rules.find((rule) => rule.in.test(path) && rule.unless?.test(path) !== true && rule.what.test(text))
    ?.why;
}

function workspaceOf(path: string, manifests: Sources['manifests']): string | undefined {
  return [...manifests.keys()].find((folder) => folder !== '' && path.startsWith(`${folder}/`));
}

function importFault(
  site: { path: string; folder: string; specifier: string; isTest: boolean },
  manifests: Sources['manifests'],
): string | undefined {
  const { path, folder, specifier, isTest } = site;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    return folder === 'bench' || target.startsWith(`${folder}/`) || (isTest && target === TEST_DATA)
      ? undefined
      : 'leaves its package: import the package by name';
  }
  if (isBuiltin(specifier)) {
    return specifier.startsWith('node:') ? undefined : 'write node: in front of a built-in module';
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const own = manifests.get(folder);
  if (name === own?.name) return undefined;
  const ours = [...manifests].find(([, manifest]) => manifest.name === name)?.[0];
  // A bench measures parts of an app that no package holds.
  if (ours?.startsWith('apps/') === true && folder !== 'bench') return 'no one imports an app';
  const allowed = ARROWS[folder] ?? APP_ARROWS;
  if (
    ours?.startsWith('packages/') === true &&
    folder !== 'bench' &&
    !allowed.includes(posix.basename(ours))
  ) {
    return `the arrow from ${folder} to ${ours} is not in the architecture`;
  }
  if (own?.dependencies?.[name] !== undefined) return undefined;
  if (BUNDLED.has(folder) && own?.devDependencies?.[name] !== undefined) return undefined;
  const root = manifests.get('');
  if (isTest && (own?.devDependencies?.[name] ?? root?.devDependencies?.[name]) !== undefined)
    return undefined;
  return `is not named in ${folder}/package.json`;
}

/** Whether a file is a test or measurement, which may import everything. */
export function isTestFile(path: string): boolean {
  return /^(bench|test)\/|\.test\.tsx?$|\/testing\/|^(apps|packages)\/[^/]+\/test\//.test(path);
}

/** Module names of static and dynamic imports and re-exports, types included. */
export function listImports(source: string): string[] {
  const text = withoutComments(source);
  const found: string[] = [];
  const patterns = [
    /(?:^|[;\n])\s*(?:import|export)\s[^;'"`]*?\bfrom\s*['"]([\w@./:~-]+)['"]/g,
    /(?:^|[;\n])\s*import\s*['"]([\w@./:~-]+)['"]/g,
    /\bimport\(\s*['"]([\w@./:~-]+)['"]/g,
  ];
  for (const pattern of patterns) {
    for (const [, specifier] of text.matchAll(pattern)) if (specifier !== undefined) found.push(specifier);
  }
  return [...new Set(found)];
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}
