import type { Log, QueueBackend } from './backend.ts';
import { createPostgresBackend } from './postgres.ts';
import { createRedisBackend } from './redis.ts';

export type { Consumer, Handler, JobCounts, JobHandle, PutBack, QueueBackend, WakeUp } from './backend.ts';
export type { Signals } from './signals.ts';
export * from './catalog.ts';
export { migratePostgresQueue } from './postgres.ts';

/** Redis when a URL is given, else BullMQ's Postgres backend. */
export function createQueueBackend(options: {
  redisUrl: string | undefined;
  databaseUrl: string;
  prefix?: string;
  log: Log;
}): Promise<QueueBackend> {
  const { redisUrl, databaseUrl, prefix, log } = options;
  return redisUrl
    ? createRedisBackend({ url: redisUrl, log, ...(prefix === undefined ? {} : { prefix }) })
    : createPostgresBackend({ url: databaseUrl, log });
}
