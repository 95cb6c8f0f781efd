import { bothBackends } from '@gleaner/db/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestServices, type TestServices } from '../../testing/test-services.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

bothBackends('a rate limit', (backend) => {
  let open: TestServices;
  let redis: Redis | undefined;
  let limiter: RateLimiter;

  beforeAll(async () => {
    open = await openTestServices(backend);
    redis = backend.redisUrl === undefined ? undefined : new Redis(backend.redisUrl);
    limiter = createRateLimiter(redis ? { redis } : { sql: open.services.db.sql });
  });
  afterAll(async () => {
    redis?.disconnect();
    await open.close();
  });

  it('counts each of the requests that arrive at once, and refuses those above it', async () => {
    const asked = Array.from({ length: 12 }, () => limiter.consume('key:burst', 10));
    const settled = await Promise.allSettled(asked);
    const remaining = settled.flatMap((result) =>
      result.status === 'fulfilled' ? [result.value.remaining] : [],
    );
    expect(remaining).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    await expect(asked[11]).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('counts each caller separately, and gives back what is restored', async () => {
    const limits = await Promise.all(['key:a', 'key:b'].map((key) => limiter.consume(key, 1)));
    expect(limits.map(({ remaining }) => remaining)).toEqual([0, 0]);
    await limiter.restore('key:a', 1);
    expect(await limiter.consume('key:a', 1)).toMatchObject({ limit: 1, remaining: 0 });
    await expect(limiter.consume('key:b', 1)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  });
});
