import { randomBytes } from 'node:crypto';
import { LISTED_PAUSES, type HostPause, type HostStore } from '@gleaner/fetching/host-store';
import { pauseName, readPauseName } from './pause-name.ts';

/** The used part of an ioredis client. */
export interface RedisScripts {
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

const PREFIX = 'gleaner:hosts';

/** The clock of Redis, in milliseconds. */
const NOW = `local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000) `;

const PAUSE = `${NOW}
redis.call('ZADD', KEYS[1], 'GT', now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIRE', KEYS[1], 7200000)
return 1`;

const LIST = `${NOW}
local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for i = 2, #found, 2 do found[i] = tostring(found[i] - now) end
return found`;

const BOOK = `${NOW}
local start = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
if start - now > tonumber(ARGV[2]) then return string.format('%.0f', start - now) end
redis.call('SET', KEYS[1], string.format('%.0f', start + ARGV[1]), 'PX', string.format('%.0f', start - now + ARGV[1] + 1000))
return string.format('%.0f', start - now)`;

const TAKE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

const GIVE = `return redis.call('ZREM', KEYS[1], ARGV[1])`;

/** Keeps hosts in Redis. Its data can be lost at any moment; hosts then get slightly too many requests. */
export function createRedisHostStore(redis: RedisScripts): HostStore {
  return {
    pause: async (host, accountId, pauseMs) => {
      await redis.eval(PAUSE, 1, `${PREFIX}:pauses`, pauseName({ host, accountId }), Math.ceil(pauseMs));
    },
    listPauses: async () => {
      const found = (await redis.eval(LIST, 1, `${PREFIX}:pauses`, LISTED_PAUSES)) as string[];
      const pauses: HostPause[] = [];
      for (let at = 0; at + 1 < found.length; at += 2) {
        pauses.push({ ...readPauseName(found[at] ?? ''), leftMs: Number(found[at + 1]) });
      }
      return pauses;
    },
    bookStart: async (name, intervalMs, maxWaitMs) =>
      Number(
        await redis.eval(BOOK, 1, `${PREFIX}:start:${name}`, Math.ceil(intervalMs), Math.floor(maxWaitMs)),
      ),
    takeSlot: async (host, slots, leaseMs) => {
      const token = randomBytes(9).toString('base64url');
      const taken = await redis.eval(TAKE, 1, `${PREFIX}:places:${host}`, slots, leaseMs, token);
      return taken === 1 ? token : undefined;
    },
    releaseSlot: async (host, slot) => {
      await redis.eval(GIVE, 1, `${PREFIX}:places:${host}`, slot);
    },
  };
}
