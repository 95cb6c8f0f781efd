import { inspectRedis } from '@gleaner/queue';
import { fault, ok, warning, type Finding } from './finding.ts';

const GB = 1e9;
/** BullMQ needs commands of this version. */
const OLDEST_MAJOR = 6;

/** Checks that Redis answers and never drops keys: an evicted key is a lost job. */
export async function checkRedis(redisUrl: string | undefined): Promise<Finding[]> {
  if (redisUrl === undefined) return [ok('redis', 'REDIS_URL is not set; Postgres holds the queues')];
  const { host } = new URL(redisUrl);
  let facts;
  try {
    facts = await inspectRedis(redisUrl);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      fault(
        'redis',
        `the Redis at ${host} does not answer (${reason})`,
        'Start it, correct REDIS_URL, or unset it: without Redis, Postgres holds the queues.',
      ),
    ];
  }
  const { version, evictionPolicy, usedBytes, maxBytes } = facts;
  const found = `Redis ${version} at ${host}`;
  const isOld = Number(version.split('.')[0]) < OLDEST_MAJOR;
  return [
    isOld ? fault('redis', found, `Upgrade Redis to ${OLDEST_MAJOR}.2 or later.`) : ok('redis', found),
    evictionPolicy === 'noeviction'
      ? ok('redis eviction', 'maxmemory-policy is noeviction')
      : fault(
          'redis eviction',
          `maxmemory-policy is ${evictionPolicy}: a full Redis drops jobs`,
          'Set `maxmemory-policy noeviction` in redis.conf, and now: redis-cli CONFIG SET maxmemory-policy noeviction',
        ),
    ...(maxBytes > 0 && usedBytes > 0.8 * maxBytes
      ? [
          warning(
            'redis memory',
            `${(usedBytes / GB).toFixed(2)} of ${(maxBytes / GB).toFixed(2)} GB are in use`,
            'Raise maxmemory: a full Redis refuses new jobs.',
          ),
        ]
      : []),
  ];
}
