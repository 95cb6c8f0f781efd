import type { Database } from '@gleaner/db';
import { Redis } from 'ioredis';
import type { Logger } from '../log/log.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** The limiter on Redis when there is one, else on Postgres. */
export function openRateLimiter(options: { redisUrl: string | undefined; db: Database; log: Logger }): {
  limiter: RateLimiter;
  close: () => Promise<void>;
} {
  const { redisUrl, db, log } = options;
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      keyPrefix: 'gleaner:',
    });
    redis.on('error', (error) => log.debug({ err: error }, 'the rate limiter lost its connection to Redis'));
    return { limiter: createRateLimiter({ redis }), close: async () => redis.disconnect() };
  }
  return { limiter: createRateLimiter({ sql: db.sql }), close: () => Promise.resolve() };
}
