import { AppError } from '@gleaner/contracts';
import type { Sql, Database } from '@gleaner/db';
import { Redis } from 'ioredis';
import { PROMPT } from '@gleaner/queue';
import { createGroups, type Groups } from '../groups/create-groups.ts';
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Logger } from '../log/log.ts';

/** The limiter on Redis when there is one, else on Postgres. */
export function openRateLimiter(options: { redisUrl: string | undefined; db: Database; log: Logger }) {
  const { redisUrl, db, log } = options;
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      keyPrefix: 'gleaner:',
      connectTimeout: 5_000,
      ...PROMPT,
    });
    redis.on('error', (error) => log.debug({ err: error }, 'the rate limiter lost its connection to Redis'));
    return { limiter: createRateLimiter({ redis }), close: async () => redis.disconnect() };
  }
  return { limiter: createRateLimiter({ sql: db.sql }), close: () => Promise.resolve() };
}

const WINDOW_SECONDS = 60;

export interface RateLimitState {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  resetSeconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** The store of the counters: Redis if configured, else Postgres. */
export type RateLimitStore = { redis: Redis } | { sql: Sql };

const states = new WeakMap<AppError, RateLimitState>();

/** The limiter's state in a rate_limit_exceeded error, for the response headers. */
export function limitStateOf(error: AppError): RateLimitState | undefined {
  return states.get(error);
}

function buildLimiter(store: RateLimitStore, limit: number): RateLimiterAbstract {
  // When the store is unavailable, each process counts on its own, because the API must not depend on its limiter.
  const insuranceLimiter = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  const options = { points: limit, duration: WINDOW_SECONDS, keyPrefix: 'rl', insuranceLimiter };
  if ('redis' in store) return new RateLimiterRedis({ ...options, storeClient: store.redis });
  const client = {
    query: async ({ text, values }: { text: string; values: (string | number)[] }) => {
      const rows = await store.sql.unsafe(text, values, { prepare: true });
      return { rows, rowCount: rows.count };
    },
  };
  return new RateLimiterPostgres({
    ...options,
    storeClient: client,
    storeType: 'client',
    schemaName: 'gleaner',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: true,
  });
}

/** Counts requests of one caller together, and gives each the state as of itself. */
async function consumeTogether(
  limiter: RateLimiterAbstract,
  key: string,
  count: number,
): Promise<RateLimiterRes[]> {
  const last = await limiter.consume(key, count).catch((cause: unknown) => {
    if (cause instanceof RateLimiterRes) return cause;
    throw cause;
  });
  return Array.from({ length: count }, (_, index) => {
    const consumed = last.consumedPoints - count + index + 1;
    return new RateLimiterRes(limiter.points - consumed, last.msBeforeNext, consumed);
  });
}

/** Fixed windows of a minute, shared by all API processes. */
export function createRateLimiter(store: RateLimitStore) {
  const limiters = new Map<number, RateLimiterAbstract>();
  const limiterOf = (limit: number): RateLimiterAbstract => {
    const known = limiters.get(limit) ?? buildLimiter(store, limit);
    limiters.set(limit, known);
    return known;
  };
  const toState = (limit: number, result: RateLimiterRes): RateLimitState => ({
    limit,
    remaining: Math.max(0, result.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  });
  /** Groups of each caller whose requests are being counted. */
  const counters = new Map<string, Groups<null, RateLimiterRes>>();
  const count = async (key: string, limit: number): Promise<RateLimiterRes> => {
    const name = `${limit} ${key}`;
    const counter =
      counters.get(name) ??
      createGroups<null, RateLimiterRes>({
        maxInFlight: 1,
        maxItems: 256,
        patienceMs: () => 0,
        run: (calls) => consumeTogether(limiterOf(limit), key, calls.length),
      });
    counters.set(name, counter);
    try {
      return await counter.call(null);
    } finally {
      if (counter.pending === 0 && counters.get(name) === counter) counters.delete(name);
    }
  };
  return {
    /**
     * Counts one request; requests of one caller that arrive at once are counted by one command.
     * @param key the caller: `key:<id>` or `ip:<address>`
     * @throws AppError rate_limit_exceeded; its state is in `limitStateOf`
     */
    consume: async (key: string, limit: number): Promise<RateLimitState> => {
      const result = await count(key, limit);
      const state = toState(limit, result);
      if (result.consumedPoints <= limit) return state;
      const error = new AppError('rate_limit_exceeded', {
        detail: `${limit} ${limit === 1 ? 'request' : 'requests'} per minute ${limit === 1 ? 'is' : 'are'} allowed`,
        retryAfterSeconds: state.resetSeconds,
      });
      states.set(error, { ...state, remaining: 0 });
      throw error;
    },
    /** Undoes the counting of one request. */
    restore: async (key: string, limit: number): Promise<void> => {
      await limiterOf(limit).reward(key, 1);
    },
  };
}
