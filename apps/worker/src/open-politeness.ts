import { createPostgresHostStore, createRedisHostStore, type Config } from '@gleaner/core';
import type { Sql } from '@gleaner/db';
import { Redis } from 'ioredis';
import { createSharedPoliteness, type FetchLog, type Politeness } from './fetch/index.ts';

/** Host limits and pauses that all workers share: in Redis where there is one, else in Postgres. */
export const openPoliteness = (config: Config, sql: Sql, log: FetchLog): Politeness => {
  const { redisUrl, hostConcurrency, hostRequestsPerSecond } = config;
  const limits = { log, hostConcurrency, hostRequestsPerSecond };
  if (redisUrl === undefined)
    return createSharedPoliteness({ ...limits, store: createPostgresHostStore(sql) });
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  // What fails because of it is reported by the politeness; an event without a listener would be printed too.
  redis.on('error', () => undefined);
  const shared = createSharedPoliteness({ ...limits, store: createRedisHostStore(redis) });
  return {
    ...shared,
    close: async () => {
      await shared.close();
      redis.disconnect();
    },
  };
};
