import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@gleaner/embedded-postgres';
import { startRedis } from '../../test/processes/redis.ts';
import { cpuOf } from './cpu-of.ts';

export interface Services {
  databaseUrl: string;
  redisUrl: string | undefined;
  redisPid: number | undefined;
  /** CPU so far in ms. */
  cpu: () => { postgres: number; redis: number };
  stop: () => Promise<void>;
}

/** A durable Postgres in a temporary folder, and a Redis when the queue is there. */
export async function openServices(backend: string): Promise<Services> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  const redis = backend === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
  if (redis && 'missing' in redis) throw new Error(redis.missing);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis?.url,
    redisPid: redis?.pid(),
    cpu: () => ({ postgres: cpuOf(postgres.pid), redis: redis ? cpuOf(redis.pid()) : 0 }),
    stop: async () => {
      await redis?.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
