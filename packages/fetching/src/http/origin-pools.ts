import { Pool, type buildConnector, type Dispatcher } from 'undici';

export interface OriginPools {
  get(origin: string): Dispatcher;
  close(): Promise<void>;
}

interface OriginPool {
  pool: Pool;
  usedAt: number;
}

export interface OriginPoolOptions {
  connector: buildConnector.connector;
  connectionsPerOrigin: number;
  maxOrigins: number;
}

/**
 * Keeps one undici pool per origin. Above `maxOrigins` it closes the least recently used idle pools. Pools with work
 * in flight stay, so the bound may be exceeded for a while; an LRU cache would close them.
 */
export function createOriginPools(options: OriginPoolOptions): OriginPools {
  const pools = new Map<string, OriginPool>();
  let clock = 0;

  const isIdle = ({ stats }: Pool): boolean =>
    stats.running === 0 && stats.queued === 0 && stats.pending === 0;

  const evict = (): void => {
    const idle = [...pools]
      .filter(([, { pool }]) => isIdle(pool))
      .sort(([, a], [, b]) => a.usedAt - b.usedAt);
    // Closes a tenth at once: sorting for every new origin would cost more than the request.
    for (const [origin, { pool }] of idle.slice(0, Math.ceil(options.maxOrigins / 10))) {
      pools.delete(origin);
      void pool.destroy();
    }
  };

  const open = (origin: string): OriginPool => {
    if (pools.size >= options.maxOrigins) evict();
    const pool = new Pool(origin, {
      connections: options.connectionsPerOrigin,
      connect: options.connector,
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 60_000,
      maxHeaderSize: 65_536,
    });
    const entry = { pool, usedAt: 0 };
    pools.set(origin, entry);
    return entry;
  };

  return {
    get: (origin) => {
      const entry = pools.get(origin) ?? open(origin);
      clock += 1;
      entry.usedAt = clock;
      return entry.pool;
    },
    close: async () => {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}
