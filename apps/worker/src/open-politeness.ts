import { createPostgresHostStore, createRedisHostStore, type Config, type Logger } from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { Redis } from 'ioredis';
import { createSharedPoliteness, type Politeness } from '@gleaner/fetching';

/** Limits and pauses per host, shared by all workers: in Redis when there is one, else in Postgres. */
export function openPoliteness(
  config: Config & { databaseUrl: string },
  log: Logger,
): { politeness: Politeness; close: () => Promise<void> } {
  const { redisUrl, databaseUrl, hostConcurrency, hostRequestsPerSecond } = config;
  const limits = {
    log,
    ...(hostConcurrency === undefined ? {} : { hostConcurrency }),
    ...(hostRequestsPerSecond === undefined ? {} : { hostRequestsPerSecond }),
  };
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
    redis.on('error', (error) => log.debug({ err: error }, 'host limits lost redis'));
    const politeness = createSharedPoliteness({ ...limits, store: createRedisHostStore(redis) });
    return {
      politeness,
      close: async () => {
        await politeness.close();
        redis.disconnect();
      },
    };
  }
  // What is lost with the server's power is a pause of some seconds: it need not wait for the disk.
  const db = createDatabase(databaseUrl, { max: 3, applicationName: 'gleaner-hosts', durable: false });
  const politeness = createSharedPoliteness({ ...limits, store: createPostgresHostStore(db.sql) });
  return {
    politeness,
    close: async () => {
      await politeness.close();
      await db.close();
    },
  };
}
