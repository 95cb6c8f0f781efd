import { Redis } from 'ioredis';

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
