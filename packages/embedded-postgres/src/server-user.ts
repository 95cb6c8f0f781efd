import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { ClusterError } from './cluster-error.ts';

/** The system user that Postgres runs as. */
export interface ServerUser {
  uid: number;
  gid: number;
}

const LARGEST_ID = 2 ** 31 - 1;

function lookUp(name: string): ServerUser | undefined {
  const ask = (flag: string): number => {
    const answer = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return answer.status === 0 ? Number.parseInt(answer.stdout, 10) : Number.NaN;
  };
  const uid = ask('-u');
  const gid = ask('-g');
  // Node takes signed ids of 32 bits; macOS's `nobody` is beyond them.
  const isUsable = [uid, gid].every((id) => Number.isInteger(id) && id <= LARGEST_ID);
  return isUsable && uid !== 0 ? { uid, gid } : undefined;
}

/**
 * Chooses the system user for Postgres, which refuses to run as root: `postgres` (macOS: `_postgres`) if it exists or can
 * be created, else `nobody`. Undefined when the calling user is not root.
 */
export function chooseServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const existing = lookUp('postgres') ?? lookUp('_postgres');
  if (existing) return existing;
  // Only Linux has useradd; elsewhere this changes nothing.
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres']);
  const made = lookUp('postgres') ?? lookUp('nobody');
  if (made) return made;
  throw new ClusterError(
    'Postgres refuses to run as root, and this system has no user "postgres" or "nobody" to run it as.',
    'Run as another user, make a user named postgres, or set DATABASE_URL to a Postgres of your own.',
  );
}

/** The owner of an existing cluster; root starts the server as that user. Undefined when it is the calling user. */
export function ownerOf(dataFolder: string): ServerUser | undefined {
  const { uid, gid } = statSync(dataFolder);
  const own = process.getuid?.();
  if (own === undefined || own === uid) return undefined;
  if (own === 0) return { uid, gid };
  throw new ClusterError(
    `The database in ${dataFolder} belongs to another user (uid ${uid}): it was made by a start as that user or as root.`,
    `Start as that user, or set GLEANER_DATA_DIR to a folder of your own.`,
  );
}

/** Whether the user can enter the folder. Tries it, because permission bits alone miss ACLs and mounts. */
export function canEnter(user: ServerUser | undefined, folder: string): boolean {
  const answer = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], {
    ...user,
    cwd: '/',
    stdio: 'ignore',
  });
  return answer.status === 0;
}
