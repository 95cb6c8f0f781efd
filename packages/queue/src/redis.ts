import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { buildBackend, WAKE_UP_SETTINGS, type Log, type QueueBackend } from './backend.ts';
import { QUEUES } from './catalog.ts';
import { createSender, type Signals } from './signals.ts';

const CLOSED = new Set(['EPIPE', 'ECONNRESET']);

/**
 * For connections whose callers a request waits for: a command without an answer fails after a second, and so do the
 * following ones at once, as the connection is closed then. For no connection that waits for work.
 */
export const PROMPT = { commandTimeout: 1_000, socketTimeout: 1_500 };
/** Closes a connection that waits for work: longer than the longest of BullMQ's blocking reads, which is 10 s. */
const PATIENT = { socketTimeout: 20_000 };

/** Why Redis does not do its work, in words. ioredis's own messages name a broken stream, not its cause. */
export function redisReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/isn't writeable|connection is closed/i.test(message)) return 'Redis is not connected';
  if (/^(Command timed out|Socket timeout)/.test(message)) return 'Redis does not answer';
  if (CLOSED.has(code)) {
    return `Redis closes the connections of this process (${code}): its log says why, for example its protected mode or its limit of clients`;
  }
  // The first word of an error reply names its kind: NOAUTH, WRONGPASS, DENIED, OOM, LOADING, READONLY, MISCONF.
  if (/^[A-Z]{2,} /.test(message)) return `Redis refuses commands: ${message}`;
  return message === '' ? `Redis does not answer (${code})` : message;
}

/** What a Redis server reports about itself. */
export interface RedisFacts {
  version: string;
  /** Its `maxmemory-policy`, such as `noeviction`. */
  evictionPolicy: string;
  usedBytes: number;
  /** 0: no limit. */
  maxBytes: number;
}

/**
 * Asks a Redis for its version and eviction policy, and changes nothing. INFO holds all of it, and unlike CONFIG it is
 * also allowed on hosted servers.
 * @throws the connection's error within 3 s
 */
export async function inspectRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // `connect` rejects with a general error; the event has the cause.
  let cause: Error | undefined;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    const read = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
    return {
      version: read('redis_version'),
      evictionPolicy: read('maxmemory_policy'),
      usedBytes: Number(read('used_memory')),
      maxBytes: Number(read('maxmemory')),
    };
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

/**
 * Signals by Redis's PUBLISH: only our own processes reach Redis.
 * @param openSubscriber makes the connection that listens, when it is first needed
 */
function createRedisSignals(producer: Redis, openSubscriber: () => Redis, log: Log): Signals {
  const handlers = new Map<string, (message: string) => void>();
  let subscriber: Redis | undefined;
  const open = (): Redis => {
    const redis = openSubscriber();
    redis.on('message', (channel: string, message: string) => handlers.get(channel)?.(message));
    return redis;
  };
  return {
    areTrusted: true,
    send: createSender(
      (messages) => Promise.all(messages.map(({ channel, message }) => producer.publish(channel, message))),
      (error) => log.warn({ err: error }, 'notices were not sent'),
    ),
    listen: async (channel, onMessage) => {
      subscriber ??= open();
      const redis = subscriber;
      handlers.set(channel, onMessage);
      await redis.subscribe(channel);
      return {
        close: async () => {
          handlers.delete(channel);
          await redis.unsubscribe(channel).catch(() => undefined);
        },
      };
    },
  };
}

/**
 * BullMQ on Redis, for several machines. Commands fail within a second during an outage; consumers wait for its end.
 * @param prefix of keys; `{…}` keeps all keys of one queue in one cluster slot
 */
export async function createRedisBackend(url: string, log: Log, prefix = '{gleaner}'): Promise<QueueBackend> {
  const open = (consumer: boolean): Redis => {
    const redis = new Redis(url, {
      maxRetriesPerRequest: consumer ? null : 1,
      enableOfflineQueue: consumer,
      connectTimeout: 5_000,
      ...(consumer ? PATIENT : PROMPT),
      // A replica since a failover: another connection finds the new primary.
      reconnectOnError: (error) => error.message.startsWith('READONLY '),
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
