import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ENGINE, engineSchemaOf, readFunctions } from '@gleaner/db';
import { processFile } from '../system/process-file.ts';

const root = join(import.meta.dirname, '../..');

/** The last release, v0.1.0. docs/build/release.md says when to change it. */
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

/** Bundles the version before in a temporary folder, with the packages that are installed here beside its own. */
export function bundlePrevious(): OtherVersion {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-version-'));
  const archive = execFileSync('git', ['archive', PREVIOUS], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
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

/** A next version: this one's bundle, with functions of its own. */
export function makeNext(): OtherVersion {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-version-'));
  const [dist, db] = [join(folder, 'dist'), join(folder, 'packages', 'db')];
  const functions = `${readFunctions()}\n-- the next version\n`;
  mkdirSync(join(db, 'functions'), { recursive: true });
  writeFileSync(join(db, 'functions', '000_all.sql'), functions);
  mkdirSync(dist);
  const made = dirname(processFile('cli'));
  for (const name of readdirSync(made).filter((file) => /\.js(?:on)?$/.test(file))) {
    const text = readFileSync(join(made, name), 'utf8');
    writeFileSync(join(dist, name), text.replaceAll(ENGINE, engineSchemaOf(functions)));
  }
  for (const name of ['packages/db/migrations', 'apps', 'node_modules'])
    symlinkSync(join(root, name), join(folder, name));
  return { dist, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
