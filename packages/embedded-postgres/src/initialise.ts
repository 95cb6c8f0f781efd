import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClusterError } from './cluster-error.ts';
import type { ServerUser } from './server-user.ts';

export interface InitialiseInput {
  binaries: string;
  /** The cluster becomes `<folder>/data`. */
  folder: string;
  user: ServerUser | undefined;
  superuser: string;
  password: string;
  durable: boolean;
}

/** The database that the service uses. */
export const DATABASE = 'gleaner';

/**
 * Creates the cluster and its database in a temporary folder and moves it into place when complete. After a crash at
 * any point, the next call starts again.
 */
export async function initialiseCluster(input: InitialiseInput): Promise<void> {
  const { binaries, folder, user } = input;
  for (const entry of await readdir(folder)) {
    // The initdb of a killed start may still write there. The next start removes what this one can't.
    if (entry.startsWith('init-')) await remove(join(folder, entry)).catch(() => undefined);
  }
  const workplace = join(folder, `init-${randomBytes(4).toString('hex')}`);
  const data = join(workplace, 'data');
  const passwordFile = join(workplace, 'password');
  await mkdir(workplace, { mode: 0o700 });
  await writeFile(passwordFile, `${input.password}\n`, { mode: 0o600, flag: 'wx' });
  if (user) {
    await chown(passwordFile, user.uid, user.gid);
    await chown(workplace, user.uid, user.gid);
  }
  const durability = input.durable ? [] : ['--no-sync'];
  // The built-in locale sorts the same on every system and version, unlike the C library's or ICU's.
  const initdb = [
    `--pgdata=${data}`,
    `--username=${input.superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...durability,
  ];
  await run(join(binaries, 'bin', 'initdb'), initdb, user);
  const single = ['--single', '-D', data, ...(input.durable ? [] : ['-F']), 'postgres'];
  await run(join(binaries, 'bin', 'postgres'), single, user, `CREATE DATABASE ${DATABASE}\n`);
  await rename(data, join(folder, 'data'));
  await remove(workplace);
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function run(program: string, args: string[], user: ServerUser | undefined, input = ''): Promise<void> {
  const child = spawn(program, args, {
    ...user,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const listen = (chunk: Buffer): void => {
    output = `${output}${chunk.toString()}`.slice(-4000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(notRunnable(program, error)));
    child.once('close', resolve);
  });
  if (output.includes('could not look up effective user ID')) {
    throw new ClusterError(
      'Postgres refuses to run as a user without a name: this user id is not in /etc/passwd.',
      'Give the user id a name there (useradd), start as another user, or set DATABASE_URL.',
    );
  }
  if (code !== 0)
    throw new ClusterError(`Postgres could not be set up: ${program} ended with ${code}.\n${output.trim()}`);
}

/** The system runs no such program: it was built for another processor, or its C library is missing (glibc on Alpine). */
function notRunnable(program: string, cause: Error): ClusterError {
  return new ClusterError(
    `The packaged Postgres can't run on this system (${process.platform}-${process.arch}): ${cause.message} (${program}).`,
    'It needs glibc on Linux. Set DATABASE_URL to your own Postgres, version 18 or newer.',
  );
}

/** A fixed environment, so that the caller's PGDATA, PGPORT or LC_ALL can't change how the server runs. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
