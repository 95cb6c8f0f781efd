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

type Suite = (backend: TestBackend) => void;

const KINDS = ['postgres', 'redis'] as const;

function describeOn(kinds: readonly TestBackend['kind'][], name: string, suite: Suite): void {
  const { redis } = testServices();
  for (const kind of kinds) {
    const missing = kind === 'redis' && 'missing' in redis ? redis.missing : undefined;
    describe.skipIf(missing !== undefined)(`${name} [${kind}]`, { meta: { missing } }, async () => {
      suite({ kind, redisUrl: kind === 'redis' ? await testRedisUrl() : undefined });
    });
  }
}

/** Runs the same suite on both queue backends; without Redis the second one is skipped. */
export function bothBackends(name: string, suite: Suite): void {
  describeOn(KINDS, name, suite);
}

/**
 * A suite of what works alike on both queue backends, which have tests of their own: its short form runs on one of them
 * when the machine has Redis.
 */
export function eitherBackend(name: string, inShort: TestBackend['kind'], suite: Suite): void {
  const isShort = !inject('isLong') && !('missing' in testServices().redis);
  describeOn(isShort ? [inShort] : KINDS, name, suite);
}
