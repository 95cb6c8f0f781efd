import { describe, inject } from 'vitest';
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

/** Why there is no Redis. */
function missingRedis(): string | undefined {
  const { redis } = testServices();
  return 'missing' in redis ? redis.missing : undefined;
}

/** Runs the same suite on both queue backends; without Redis the second one is skipped. */
export function bothBackends(name: string, suite: (backend: TestBackend) => void): void {
  describe(`${name} [postgres]`, () => {
    suite({ kind: 'postgres', redisUrl: undefined });
  });
  const missing = missingRedis();
  describe.skipIf(missing !== undefined)(`${name} [redis]`, { meta: { missing } }, async () => {
    suite({ kind: 'redis', redisUrl: await testRedisUrl() });
  });
}

/**
 * A suite of what works alike on both queue backends, which have tests of their own: its short form runs on one of them
 * when the machine has Redis.
 */
export function eitherBackend(
  name: string,
  inShort: TestBackend['kind'],
  suite: (backend: TestBackend) => void,
): void {
  if (inject('isLong') || missingRedis() !== undefined) bothBackends(name, suite);
  else {
    describe(`${name} [${inShort}]`, async () => {
      suite({ kind: inShort, redisUrl: inShort === 'redis' ? await testRedisUrl() : undefined });
    });
  }
}
