import { createPostgresHostStore, createRedisHostStore, type Config, type Logger } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import { redisReason } from '@gleaner/queue';
import { Redis } from 'ioredis';
import { createSharedPoliteness, type Politeness } from '@gleaner/fetching';

/** Limits and pauses per host, shared by all workers through Redis if configured, else through Postgres. */
export function openPoliteness(
  config: Config,
  db: Database,
  log: Logger,
): { politeness: Politeness; close: () => Promise<void> } {
  const { redisUrl, hostConcurrency, hostRequestsPerSecond } = config;
  const limits = {
    log,
    ...(hostConcurrency === undefined ? {} : { hostConcurrency }),
    ...(hostRequestsPerSecond === undefined ? {} : { hostRequestsPerSecond }),
  };
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
    redis.on('error', (error) =>
      log.debug({ reason: redisReason(error) }, 'redis connection for host limits failed'),
    );
    const politeness = createSharedPoliteness({
      ...limits,
      store: createRedisHostStore(redis),
      reasonOf: redisReason,
    });
    return {
      politeness,
      close: async () => {
        await politeness.close();
        redis.disconnect();
      },
    };
  }
  const politeness = createSharedPoliteness({ ...limits, store: createPostgresHostStore(db.sql) });
  return { politeness, close: () => politeness.close() };
}
