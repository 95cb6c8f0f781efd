import type { Log, QueueBackend } from './backend.ts';
import { createPostgresBackend } from './postgres.ts';
import { createRedisBackend } from './redis.ts';

export type {
  ClaimedJob,
  Claimer,
  Consumer,
  Handler,
  JobCounts,
  JobHandle,
  QueueBackend,
  WakeUp,
} from './backend.ts';
export type { Signals } from './signals.ts';
export * from './catalog.ts';
export { inspectRedis, PROMPT, type RedisFacts } from './redis.ts';
export { migratePostgresQueue } from './postgres.ts';

/** Redis when a URL is given, else BullMQ's Postgres backend. */
export function createQueueBackend(options: {
  redisUrl: string | undefined;
  /** A direct connection URL, without a pooler. */
  databaseUrl: string;
  /** Largest number of connections to Postgres, the one that listens not counted. Default 4. */
  connections?: number;
  /** `application_name` of the connections to Postgres. */
  applicationName?: string;
  /** How long Postgres may take to connect or to answer. Default 5 s. */
  patienceMs?: number;
  prefix?: string;
  log: Log;
}): Promise<QueueBackend> {
  const { redisUrl, databaseUrl, connections = 4, prefix, log } = options;
  const { applicationName = 'gleaner-queue', patienceMs = 5_000 } = options;
  return redisUrl
    ? createRedisBackend(redisUrl, log, prefix)
    : createPostgresBackend({ url: databaseUrl, connections, applicationName, patienceMs, log });
}
export { createSharedListener, type SharedListener } from './postgres-connection.ts';
