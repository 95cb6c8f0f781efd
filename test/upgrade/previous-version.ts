import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The last commit before this version. Set it to the last release's commit when a release is made; docs/how-to/upgrade.md
 * says how.
 */
const PREVIOUS = '416e67688b164f19d6b137da21ac1c9e0856795d';

export interface PreviousVersion {
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

/**
 * Checks the version before out into a temporary folder and bundles it there. It uses the packages that are installed
 * here, except those of this repository.
 */
export async function bundlePrevious(): Promise<PreviousVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-previous-'));
  const archive = execFileSync('git', ['archive', PREVIOUS], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@gleaner'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@gleaner' || name.startsWith('.')) continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const group of ['packages', 'apps']) {
    for (const name of readdirSync(join(folder, group))) {
      const place = join(folder, group, name);
      const { name: full } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
        name: string;
      };
      symlinkSync(place, join(modules, full));
    }
  }
  execFileSync(process.execPath, [join(folder, 'scripts/bundle.ts')], { cwd: folder, stdio: 'pipe' });
  return {
    dist: join(folder, 'dist'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
