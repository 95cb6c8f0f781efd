import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { buildBackend } from './build.ts';
import type { Log, QueueBackend } from './backend.ts';
import { QUEUES } from './catalog.ts';
import { redisReason } from './redis-reason.ts';
import { createRedisSignals } from './redis-signals.ts';
import { WAKE_UP_SETTINGS } from './wake-ups.ts';

export interface RedisQueueOptions {
  url: string;
  /** Key prefix; `{…}` keeps all keys of one queue in one cluster slot. */
  prefix?: string;
  log: Log;
}

/** BullMQ on Redis, for several machines. Commands fail fast during an outage; consumers wait for its end. */
export async function createRedisBackend(options: RedisQueueOptions): Promise<QueueBackend> {
  const { url, prefix = '{gleaner}', log } = options;
  const open = (consumer: boolean): Redis => {
    const redis = new Redis(url, {
      maxRetriesPerRequest: consumer ? null : 1,
      enableOfflineQueue: consumer,
      connectTimeout: 5_000,
      retryStrategy: (times) => Math.min(100 * 2 ** Math.min(times, 5), 2_000),
      lazyConnect: true,
    });
    let wasDown = false;
    redis.on('error', (error) => {
      if (!wasDown) log.warn({ reason: redisReason(error) }, 'redis connection failed; reconnecting');
      wasDown = true;
    });
    redis.on('ready', () => {
      if (wasDown) log.info({}, 'redis connection restored');
      wasDown = false;
    });
    return redis;
  };
  const producer = open(false);
  await producer.connect();
  const consumers: Redis[] = [];
  const openConsumer = (): Redis => {
    const connection = open(true);
    consumers.push(connection);
    return connection;
  };
  const backend = buildBackend({
    kind: 'redis',
    log,
    constructors: {
      queue: (name) =>
        new Queue(name, {
          connection: producer,
          prefix,
          settings: WAKE_UP_SETTINGS,
          streams: { events: { maxLen: 100 } },
        }),
      worker: (name, processor, workerOptions) =>
        new Worker(name, processor, {
          ...workerOptions,
          settings: WAKE_UP_SETTINGS,
          connection: openConsumer(),
          prefix,
        }),
    },
    signals: createRedisSignals(producer, openConsumer, log),
    ping: async () => {
      await producer.ping();
    },
    close: async () => {
      for (const redis of [...consumers, producer]) redis.disconnect();
    },
  });
  // Opened now, because a queue that BullMQ opens during an outage makes its callers wait for the outage's end.
  await Promise.all(QUEUES.map((name) => backend.queue(name).waitUntilReady()));
  return backend;
}
