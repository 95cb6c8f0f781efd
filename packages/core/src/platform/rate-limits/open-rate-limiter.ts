import { createDatabase } from '@gleaner/db';
import { Redis } from 'ioredis';
import type { Logger } from '../log/log.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** Opens the limiter on Redis if configured, else on Postgres, with separate connections. */
export function openRateLimiter(options: {
  redisUrl: string | undefined;
  databaseUrl: string;
  log: Logger;
}): { limiter: RateLimiter; close: () => Promise<void> } {
  const { redisUrl, databaseUrl, log } = options;
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      keyPrefix: 'gleaner:',
    });
    redis.on('error', (error) => log.debug({ err: error }, 'the rate limiter lost its connection to Redis'));
    return { limiter: createRateLimiter({ redis }), close: async () => redis.disconnect() };
  }
  // A counter may be lost in a power failure, so commits don't wait for the disk.
  const db = createDatabase(databaseUrl, { max: 4, applicationName: 'gleaner-limits', durable: false });
  return { limiter: createRateLimiter({ sql: db.sql }), close: db.close };
}
