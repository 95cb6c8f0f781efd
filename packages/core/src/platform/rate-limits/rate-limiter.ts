import { AppError } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';
import type { Redis } from 'ioredis';
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;

export interface RateLimitState {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Fixed windows of a minute, shared by all API processes. */
export interface RateLimiter {
  /**
   * Counts one request.
   * @param key the caller: `key:<id>` or `ip:<address>`
   * @throws AppError rate_limit_exceeded; its state is in `limitStateOf`
   */
  consume(key: string, limit: number): Promise<RateLimitState>;
  /** Undoes the counting of one request. */
  restore(key: string, limit: number): Promise<void>;
}

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

export function createRateLimiter(store: RateLimitStore): RateLimiter {
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
  return {
    consume: async (key, limit) => {
      try {
        return toState(limit, await limiterOf(limit).consume(key));
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause;
        const state = toState(limit, cause);
        const error = new AppError('rate_limit_exceeded', {
          detail: `${limit} requests per minute are allowed`,
          retryAfterSeconds: state.resetSeconds,
        });
        states.set(error, { ...state, remaining: 0 });
        throw error;
      }
    },
    restore: async (key, limit) => {
      await limiterOf(limit).reward(key, 1);
    },
  };
}
