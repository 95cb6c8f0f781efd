import { count, setting, url } from './setting.ts';

/** Postgres, Redis, and how many connections each process may open. */
export const CONNECTION_SETTINGS = {
  databaseUrl: setting(
    'DATABASE_URL',
    url(['postgres', 'postgresql']).optional(),
    'Postgres that holds everything.',
    'embedded Postgres',
  ),
  directDatabaseUrl: setting(
    'GLEANER_DIRECT_DATABASE_URL',
    url(['postgres', 'postgresql']).optional(),
    'Direct address of the same Postgres, when DATABASE_URL goes through a pooler in transaction mode (docs/operate/deploy.md).',
    'DATABASE_URL',
  ),
  redisUrl: setting(
    'REDIS_URL',
    url(['redis', 'rediss']).optional(),
    'Redis for the queues and rate limits.',
    'BullMQ on Postgres',
  ),
  apiConnections: setting(
    'GLEANER_API_CONNECTIONS',
    count(2, 1000).default(16),
    'Maximum connections to Postgres of an API process.',
  ),
  workerConnections: setting(
    'GLEANER_WORKER_CONNECTIONS',
    count(2, 1000).default(6),
    'Maximum connections to Postgres of a worker. Half of them serve batches only.',
  ),
  schedulerConnections: setting(
    'GLEANER_SCHEDULER_CONNECTIONS',
    count(2, 1000).default(4),
    'Maximum connections to Postgres of a scheduler, besides the one that chooses the leader.',
  ),
  queueConnections: setting(
    'GLEANER_QUEUE_CONNECTIONS',
    count(1, 1000).default(4),
    'Without Redis: maximum further connections of each of these processes for its queues, besides two that listen.',
  ),
} as const;
