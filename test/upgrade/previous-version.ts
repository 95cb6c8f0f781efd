import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The last release, v0.1.0. docs/operate/upgrade.md says when to change it. */
const PREVIOUS = 'ea3d4ebfd128378242cb25f33821c863dc6c8685';

/** Packages of that version which are no longer installed: the update has no crons. */
const GONE: Readonly<Record<string, string>> = {
  croner: `export class Cron { constructor() { throw new Error('croner is not installed'); } }`,
};

export interface OtherVersion {
  /** Its bundled processes. */
  dist: string;
  remove(): void;
}

/** Why the version before can't be tried here; undefined when it can. */
export function missingPrevious(): string | undefined {
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS}^{commit}`], { cwd: root, stdio: 'pipe' });
    return undefined;
  } catch {
    return `this folder's git history lacks the commit ${PREVIOUS}`;
  }
}

/** Checks the version before out into a temporary folder and bundles it there. */
export function bundlePrevious(): Promise<OtherVersion> {
  return bundleIn((folder) => {
    const archive = execFileSync('git', ['archive', PREVIOUS], { cwd: root, maxBuffer: 1 << 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  });
}

/** What a version consists of. */
const SOURCES = ['packages', 'apps', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];
const MADE = /^(?:node_modules|dist)$/;
const FUNCTIONS = 'packages/db/functions/000_locks.sql';

/** A next version: this one, with functions of its own. */
export function bundleNext(): Promise<OtherVersion> {
  return bundleIn((folder) => {
    for (const name of SOURCES)
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (source) => !MADE.test(basename(source)),
      });
    appendFileSync(join(folder, FUNCTIONS), '\n-- the next version\n');
  });
}

/** Bundles a version with the packages that are installed here, except those of this repository. */
async function bundleIn(place: (folder: string) => void): Promise<OtherVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-version-'));
  place(folder);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@gleaner'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@gleaner' || name.startsWith('.')) continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const [name, text] of Object.entries(GONE)) {
    if (existsSync(join(modules, name))) continue;
    mkdirSync(join(modules, name));
    writeFileSync(join(modules, name, 'package.json'), JSON.stringify({ name, type: 'module' }));
    writeFileSync(join(modules, name, 'index.js'), text);
  }
  for (const group of ['packages', 'apps']) {
    for (const name of readdirSync(join(folder, group))) {
      const source = join(folder, group, name);
      const { name: full } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
        name: string;
      };
      symlinkSync(source, join(modules, full));
    }
  }
  execFileSync(process.execPath, [join(folder, 'scripts/bundle.ts')], { cwd: folder, stdio: 'pipe' });
  return {
    dist: join(folder, 'dist'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
