import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '@gleaner/db';
import { startPostgres, type EmbeddedPostgres } from '@gleaner/embedded-postgres';
import { freePort } from '@gleaner/embedded-postgres/free-port';
import { REFUSED } from './chaos-site.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { startRedis, type TestRedis } from '../processes/redis.ts';
import { startSystem, type System } from '../system/start-system.ts';

export type Backend = 'redis' | 'postgres';

/** Everything that can be hurt, as child processes of this one. */
export interface World {
  backend: Backend;
  system: System;
  /** Undefined on the Postgres backend. */
  redis: TestRedis | undefined;
  db: Database;
  /** Addresses with a read-only login of each account. */
  readers: string[];
  /** A database of the accounts' own, which Gleaner reaches by its address only. */
  elsewhere: { url: string; db: Database };
  /** That of Postgres; or why it has none of its own. */
  disk: SmallDisk | { missing: string };
  postgres: {
    /** The server and its children. */
    pids: () => number[];
    /** Starts it when it ended by itself. */
    revive: () => Promise<void>;
    /** `-m immediate` (SIGQUIT) or SIGKILL, then a start: recovery included. */
    restart: (signal: NodeJS.Signals) => Promise<void>;
  };
  stop: () => Promise<void>;
}

function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

/** Lets Postgres refuse results that hold REFUSED, as it refuses a value that no check of ours expects. */
async function refuseValues(db: Database): Promise<void> {
  await db.sql.unsafe(`
    CREATE FUNCTION gleaner.refuse_result() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a refused value' USING ERRCODE = '22P05';
    END
    $$;
    CREATE TRIGGER refuse_result BEFORE INSERT ON gleaner.results FOR EACH ROW
    WHEN (NEW.answer LIKE '%${REFUSED}%') EXECUTE FUNCTION gleaner.refuse_result()`);
}

/** @param env further variables for all processes @param hasSmallDisk Postgres gets a file system of its own, if one can be mounted */
export async function startWorld(
  backend: Backend,
  env: Readonly<Record<string, string>> = {},
  hasSmallDisk = false,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-chaos-'));
  await chmod(folder, 0o711);
  const disk = hasSmallDisk ? mountSmallDisk(folder) : { missing: 'it was not asked for' };
  const open = (): Promise<EmbeddedPostgres> =>
    startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  let server = await open();
  let hasEnded = false;
  const restarted = async (): Promise<void> => {
    server = await open();
    watchEnd(server);
  };
  const watchEnd = (one: EmbeddedPostgres): void => {
    hasEnded = false;
    void one.ended.then(() => (hasEnded = one === server));
  };
  watchEnd(server);
  const redis = backend === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
  if (redis && 'missing' in redis) throw new Error(redis.missing);
  const system = await startSystem({
    databaseUrl: server.url,
    redisUrl: redis?.url,
    workers: 2,
    env: {
      PORT: String(await freePort()),
      GLEANER_EXTRACTION_THREADS: '1',
      GLEANER_DATABASE_DISK: folder,
      ...env,
    },
  });
  const db = createDatabase(server.url, { max: 2 });
  await refuseValues(db);
  await db.sql`CREATE DATABASE elsewhere`;
  const elsewhere = new URL(server.url);
  elsewhere.pathname = '/elsewhere';
  const elsewhereDb = createDatabase(elsewhere.href, { max: 2 });
  return {
    backend,
    system,
    redis,
    db,
    readers: [],
    elsewhere: { url: elsewhere.href, db: elsewhereDb },
    disk,
    postgres: {
      revive: async () => {
        if (hasEnded) await restarted();
      },
      pids: () => [server.pid, ...childrenOf(server.pid)],
      restart: async (signal) => {
        process.kill(server.pid, signal);
        await server.ended;
        await restarted();
      },
    },
    stop: async () => {
      await Promise.all([db.close(), elsewhereDb.close()]);
      await system.stop();
      await redis?.stop();
      await server.stop();
      if ('remove' in disk) disk.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
