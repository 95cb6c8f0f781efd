import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { ClusterError } from './cluster-error.ts';
import type { PostgresBinaries } from './binaries.ts';
import { canEnter, type ServerUser } from './server-user.ts';

/** Holds files that the server's user must reach when the clone is private. Only used when started by root. */
export const SYSTEM_FOLDER = '/var/lib/gleaner';

/** A file in a cluster's folder there; it holds the path of the data folder. */
const OWNER_FILE = 'belongs-to';

const recordSchema = z.object({
  /** Contains data/, the cluster. Beside the record, or under /var/lib/gleaner if the server's user can't get here. */
  folder: z.string(),
  port: z.number().int(),
  user: z.string(),
  password: z.string(),
});

/** The content of postgres.json (0600) in the data folder. */
export type PostgresRecord = z.infer<typeof recordSchema>;

function recordPath(dataDir: string): string {
  return join(dataDir, 'postgres.json');
}

export async function readRecord(dataDir: string): Promise<PostgresRecord | undefined> {
  const path = recordPath(dataDir);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    throw new ClusterError(
      `${path} is damaged. It held the location and password of the database.`,
      'Restore the file from a backup; deleting it makes the next start begin with an empty database.',
    );
  }
}

/** Writes a temporary file and renames it, so that a crash never leaves an incomplete record. */
export async function writeRecord(dataDir: string, record: PostgresRecord): Promise<void> {
  const path = recordPath(dataDir);
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/**
 * Finds the cluster of a data folder. A cluster beside the record wins, because a moved or copied data folder includes
 * its database. Otherwise it is the recorded folder, unless another data folder's record names the same one.
 * @throws ClusterError when the cluster belongs to another data folder
 */
export async function findCluster(dataDir: string, record: PostgresRecord): Promise<PostgresRecord> {
  const beside = join(dataDir, 'postgres');
  if (existsSync(join(beside, 'data'))) return { ...record, folder: beside };
  const written = await readFile(join(record.folder, OWNER_FILE), 'utf8').catch(() => undefined);
  const owner = written?.trim() ?? dirname(record.folder);
  if ((await realPath(owner)) === (await realPath(dataDir))) return record;
  const other = await readRecord(owner);
  if (other?.folder !== record.folder) return record;
  throw new ClusterError(
    `${recordPath(dataDir)} names the database of another data folder, ${owner}.`,
    `Copy ${record.folder} as well, stopped, and name the copy there; or delete ${recordPath(dataDir)} to begin with an empty database.`,
  );
}

function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Creates the folder for a new cluster, owned by the server's user: `<dataDir>/postgres` if that user can reach it. */
export async function makeClusterFolder(
  dataDir: string,
  user: ServerUser | undefined,
  systemFolder: string,
): Promise<string> {
  const beside = join(dataDir, 'postgres');
  if (user === undefined || canEnter(user, dataDir)) {
    await mkdir(beside, { recursive: true, mode: 0o700 });
    await giveTo(beside, user);
    return beside;
  }
  await makeSystemFolder(systemFolder, dataDir);
  const name = `${basename(dataDir).replaceAll(/[^a-z0-9]+/gi, '')}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
  const folder = join(systemFolder, `${name}-${randomBytes(3).toString('hex')}`);
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, OWNER_FILE), `${dataDir}\n`);
  await giveTo(folder, user);
  return folder;
}

/** A folder of Postgres programs that the server's user can run: node_modules, else a copy in /var/lib/gleaner. */
export async function reachableBinaries(
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
  systemFolder: string,
): Promise<string> {
  if (user === undefined || canEnter(user, join(binaries.folder, 'bin'))) return binaries.folder;
  await makeSystemFolder(systemFolder, binaries.folder);
  const copy = join(systemFolder, binaries.build);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.folder, unfinished, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a'),
  });
  await openToAll(unfinished);
  await rename(unfinished, copy).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  });
  return copy;
}

async function makeSystemFolder(systemFolder: string, unreachable: string): Promise<void> {
  try {
    await mkdir(systemFolder, { recursive: true, mode: 0o755 });
  } catch (cause) {
    throw new ClusterError(
      `The user that runs Postgres can't reach ${unreachable}, and ${systemFolder} can't be made (${String(cause)}).`,
      'Set GLEANER_DATA_DIR to a folder outside private homes, or DATABASE_URL to a Postgres of your own.',
    );
  }
}

/** Moves a stopped cluster, and gives it to the server's user. The target must not exist. */
export async function moveCluster(
  source: string,
  target: string,
  user: ServerUser | undefined,
): Promise<void> {
  await rename(source, target).catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await cp(source, target, { recursive: true, errorOnExist: true, force: false });
    await rm(source, { recursive: true });
  });
  await chmod(target, 0o700);
  await giveTo(target, user);
  for (const entry of await readdir(target, { withFileTypes: true, recursive: true }))
    await giveTo(join(entry.parentPath, entry.name), user);
}

async function giveTo(folder: string, user: ServerUser | undefined): Promise<void> {
  if (user) await chown(folder, user.uid, user.gid);
}

/** Makes our own copy readable for all users, regardless of the umask. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) await chmod(path, entry.parentPath.endsWith('bin') ? 0o755 : 0o644);
  }
}
