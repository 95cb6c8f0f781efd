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
import { Fault } from './fault.ts';
import type { PostgresBinaries } from './binaries.ts';
import { canEnter, type ServerUser } from './server-user.ts';

/** Where things go that must be reachable by another user than the one who owns the clone: only ever used by root. */
export const SYSTEM_FOLDER = '/var/lib/gleaner';

/** In a cluster's folder there: the data folder that it serves. */
const OWNER_FILE = 'belongs-to';

const recordSchema = z.object({
  /** Holds data/, the cluster. Beside the record, or under /var/lib/gleaner when the server's user can't get here. */
  folder: z.string(),
  port: z.number().int(),
  user: z.string(),
  password: z.string(),
});

/** What the data folder remembers of its Postgres, in postgres.json (0600). */
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
    throw new Fault(
      `${path} is damaged: it held where the database is and its password.`,
      'Restore the file from a backup; deleting it makes the next start begin with an empty database.',
    );
  }
}

/** Written beside and moved into place, so that no crash leaves half a record. */
export async function writeRecord(dataDir: string, record: PostgresRecord): Promise<void> {
  const path = recordPath(dataDir);
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/**
 * Where the cluster of a data folder is now. Beside the record, whatever it says: a data folder that was moved or copied
 * took its database along. Else where it says, unless another data folder's record says the same, which has it then.
 * @throws Fault when the cluster is another data folder's
 */
export async function findCluster(dataDir: string, record: PostgresRecord): Promise<PostgresRecord> {
  const beside = join(dataDir, 'postgres');
  if (existsSync(join(beside, 'data'))) return { ...record, folder: beside };
  const written = await readFile(join(record.folder, OWNER_FILE), 'utf8').catch(() => undefined);
  const owner = written?.trim() ?? dirname(record.folder);
  if ((await realPath(owner)) === (await realPath(dataDir))) return record;
  const other = await readRecord(owner);
  if (other?.folder !== record.folder) return record;
  throw new Fault(
    `${recordPath(dataDir)} names the database of another data folder, ${owner}.`,
    `Copy ${record.folder} as well, stopped, and name the copy there; or delete ${recordPath(dataDir)} to begin with an empty database.`,
  );
}

function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** A folder for a new cluster, owned by the server's user: `<dataDir>/postgres` wherever that user can reach it. */
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

/** The programs where the server's user can run them: in node_modules, else a copy under /var/lib/gleaner. */
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
    throw new Fault(
      `The user that runs Postgres can't reach ${unreachable}, and ${systemFolder} can't be made (${String(cause)}).`,
      'Set GLEANER_DATA_DIR to a folder outside private homes, or DATABASE_URL to a Postgres of your own.',
    );
  }
}

async function giveTo(folder: string, user: ServerUser | undefined): Promise<void> {
  if (user) await chown(folder, user.uid, user.gid);
}

/** Only for our own copy: a strict umask must not make it as unreachable as the original. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) await chmod(path, entry.parentPath.endsWith('bin') ? 0o755 : 0o644);
  }
}
