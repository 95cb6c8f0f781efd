import { describe } from 'vitest';
import { testServices } from './provided.ts';
import { REDIS_DATABASES } from './server.ts';
import { uniqueNumber } from './test-database.ts';

/**
 * The URL of an empty Redis database that no other file uses, or undefined on machines without Redis. FLUSHDB is fine;
 * FLUSHALL, CLIENT KILL and DEBUG would hit other files: start a separate Redis for those (test/processes).
 */
export async function testRedisUrl(): Promise<string | undefined> {
  const { redis } = testServices();
  if ('missing' in redis) return undefined;
  return `${redis.url}/${(await uniqueNumber()) % REDIS_DATABASES}`;
}

export interface TestBackend {
  kind: 'redis' | 'postgres';
  /** The value for REDIS_URL; set on Redis only. */
  redisUrl: string | undefined;
}

/** Runs the same suite on both queue backends; without Redis the second one is skipped. */
export function bothBackends(name: string, suite: (backend: TestBackend) => void): void {
  describe(`${name} [postgres]`, () => {
    suite({ kind: 'postgres', redisUrl: undefined });
  });
  const { redis } = testServices();
  const missing = 'missing' in redis ? redis.missing : undefined;
  describe.skipIf(missing !== undefined)(`${name} [redis]`, { meta: { missing } }, async () => {
    suite({ kind: 'redis', redisUrl: await testRedisUrl() });
  });
}
