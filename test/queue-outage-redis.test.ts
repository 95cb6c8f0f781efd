import { createQueueBackend, QUEUES } from '@gleaner/queue';
import { expect, it } from 'vitest';
import { startRedis } from './processes/redis.ts';

/** A server of its own, because it is stopped. */
const redis = await startRedis();
const missing = 'missing' in redis ? redis.missing : undefined;
function ignore() {
  return undefined;
}

it.skipIf('missing' in redis)(
  'a queue that is first used while Redis is away says so',
  { meta: { missing } },
  async () => {
    if ('missing' in redis) return;
    const log = { info: ignore, warn: ignore, error: ignore };
    const queue = await createQueueBackend({ redisUrl: redis.url, databaseUrl: '', log });
    await redis.stop();
    await expect
      .poll(() =>
        queue.ping().then(
          () => 'there',
          () => 'away',
        ),
      )
      .toBe('away');
    for (const name of QUEUES) {
      await expect(
        queue.deliver([{ queue: name, jobId: 'a', payload: { kind: 'canary' } }]),
      ).rejects.toThrow();
      await expect(queue.counts(name)).rejects.toThrow();
    }
    await queue.close();
  },
);
