import { count, setting, url } from './setting.ts';

/** Postgres, Redis, and how many connections each process may open. */
export const CONNECTION_SETTINGS = {
  databaseUrl: setting(
    'DATABASE_URL',
    url(['postgres', 'postgresql']).optional(),
    'embedded Postgres',
    'Postgres that holds everything.',
  ),
  directDatabaseUrl: setting(
    'GLEANER_DIRECT_DATABASE_URL',
    url(['postgres', 'postgresql']).optional(),
    'DATABASE_URL',
    'The same Postgres past a pooler in transaction mode that DATABASE_URL goes through (docs/operate/deploy.md).',
  ),
  redisUrl: setting(
    'REDIS_URL',
    url(['redis', 'rediss']).optional(),
    'BullMQ on Postgres',
    'Redis for the queues and rate limits.',
  ),
  apiConnections: setting(
    'GLEANER_API_CONNECTIONS',
    count(2, 1000).default(16),
    '16',
    'Connections to Postgres that an API process opens at most.',
  ),
  workerConnections: setting(
    'GLEANER_WORKER_CONNECTIONS',
    count(2, 1000).default(6),
    '6',
    'Connections to Postgres that a worker opens at most. Half of them serve batches only.',
  ),
  schedulerConnections: setting(
    'GLEANER_SCHEDULER_CONNECTIONS',
    count(2, 1000).default(4),
    '4',
    'Connections to Postgres that a scheduler opens at most, besides the one by which schedulers choose their leader.',
  ),
  queueConnections: setting(
    'GLEANER_QUEUE_CONNECTIONS',
    count(1, 1000).default(4),
    '4',
    'Without Redis: further connections that each of these processes opens at most for its queues, besides two that listen.',
  ),
} as const;
