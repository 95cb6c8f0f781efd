import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';
import { findPostgresBinaries } from './binaries.ts';
import { freePort, isFree } from './free-port.ts';
import { DATABASE, initialiseCluster } from './initialise.ts';
import {
  findCluster,
  makeClusterFolder,
  moveCluster,
  reachableBinaries,
  readRecord,
  SYSTEM_FOLDER,
  writeRecord,
  type PostgresRecord,
} from './cluster-folder.ts';
import { chooseServerUser, ownerOf, type ServerUser } from './server-user.ts';
import { clearLeftovers, startServer, type Server } from './server.ts';
import { serverSettings } from './settings.ts';

export interface PostgresOptions {
  /** Must exist. Its postgres.json records the cluster's folder. */
  dataDir: string;
  /** False only for throw-away test clusters. */
  durable: boolean;
  log: (line: string) => void;
  /** Replaced in tests. */
  systemFolder?: string;
}

export interface EmbeddedPostgres extends Server {
  /** With the password: never log it. */
  url: string;
  port: number;
}

/** Starts the data folder's Postgres and creates it first if needed. The caller holds the folder's lock. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, durable, log, systemFolder = SYSTEM_FOLDER } = options;
  const kept = await readRecord(dataDir);
  const known = kept && (await findCluster(dataDir, kept));
  const existing = known && join(known.folder, 'data');
  const user = existing !== undefined && existsSync(existing) ? ownerOf(existing) : chooseServerUser();
  const binaries = await reachableBinaries(await findPostgresBinaries(), user, systemFolder);
  const record = known ?? (await newRecord(dataDir, user, systemFolder));
  const dataFolder = join(record.folder, 'data');
  if (!existsSync(dataFolder)) {
    if (!existsSync(record.folder)) {
      throw new ClusterError(
        `The database of ${dataDir} was in ${record.folder}, which no longer exists.`,
        `Restore that folder, or delete ${join(dataDir, 'postgres.json')} to begin with an empty database.`,
      );
    }
    await initialiseCluster({ ...record, binaries, user, superuser: record.user, durable });
  }
  await clearLeftovers(dataFolder);
  const port = (await isFree(record.port)) ? record.port : await freePort();
  if (port !== record.port || (kept && kept.folder !== record.folder))
    await writeRecord(dataDir, { ...record, port });
  const settings = serverSettings(port, durable);
  const server = await startOrWait(() => startServer({ binaries, dataFolder, user, settings, log }));
  const url = `postgres://${record.user}:${record.password}@127.0.0.1:${port}/${DATABASE}`;
  return { ...server, port, url };
}

/** The data folder's cluster: where its files are, and what can read them. @throws ClusterError when there is none */
export async function describeCluster(dataDir: string): Promise<{ folder: string; postgres: string }> {
  const kept = await readRecord(dataDir);
  if (!kept)
    throw new ClusterError(`The data folder ${dataDir} holds no database.`, 'Check GLEANER_DATA_DIR.');
  const { folder } = await findCluster(dataDir, kept);
  return { folder: join(folder, 'data'), postgres: await describePostgres() };
}

/** Platform and major version, such as `linux-x64-18`: what must be equal for one Postgres to read another's files. */
export async function describePostgres(): Promise<string> {
  const { build } = await findPostgresBinaries();
  return build.replace(/\..*$/, '');
}

/**
 * Makes the copy of a cluster the data folder's own. The caller holds the folder's lock, and the folder has no database.
 * @param source a folder with `postgres.json` and `postgres/data`, on the same disk or another; its files are moved
 */
export async function adoptCluster(
  dataDir: string,
  source: string,
  systemFolder = SYSTEM_FOLDER,
): Promise<void> {
  const record = await readRecord(source);
  if (!record) throw new ClusterError(`${source} has no postgres.json, so its database can't be used.`);
  const user = chooseServerUser();
  const folder = await makeClusterFolder(dataDir, user, systemFolder);
  await moveCluster(join(source, 'postgres', 'data'), join(folder, 'data'), user);
  await writeRecord(dataDir, { ...record, folder });
}

async function newRecord(
  dataDir: string,
  user: ServerUser | undefined,
  systemFolder: string,
): Promise<PostgresRecord> {
  const record = {
    folder: await makeClusterFolder(dataDir, user, systemFolder),
    port: await freePort(),
    user: 'gleaner',
    password: randomBytes(24).toString('base64url'),
  };
  await writeRecord(dataDir, record);
  return record;
}

/** After a killed server, its child processes hold the shared memory for a moment, and Postgres refuses to start. */
async function startOrWait(start: () => Promise<Server>): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      const isBusy =
        error instanceof ClusterError && error.message.includes('pre-existing shared memory block');
      if (!isBusy || attempt === 20) throw error;
      await sleep(500);
    }
  }
}
