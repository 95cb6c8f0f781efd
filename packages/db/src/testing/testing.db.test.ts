import { afterAll, expect, it } from 'vitest';
import { bothBackends, createTestDatabase, testRedisUrl, testServices } from './index.ts';

const first = await createTestDatabase();
const second = await createTestDatabase();
afterAll(async () => {
  await first.close();
  await second.close();
});

it('gives each caller a migrated database that no other sees', async () => {
  await first.db.sql`CREATE TABLE only_here (id int)`;
  const seen = await second.db.sql`SELECT to_regclass('only_here') AS name`;
  expect(seen[0]?.name).toBeNull();
  const tables = await second.db.sql`SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'gleaner'`;
  expect(tables[0]?.n).toBeGreaterThan(5);
});

it('gives each caller a Redis database of its own', async (context) => {
  const { redis } = testServices();
  if ('missing' in redis) context.skip(redis.missing);
  const urls = await Promise.all([testRedisUrl(), testRedisUrl(), testRedisUrl()]);
  expect(new Set(urls).size).toBe(3);
});

const seen: string[] = [];
bothBackends('a suite', ({ kind, redisUrl }) => {
  it('knows its backend', () => {
    seen.push(kind);
    expect(redisUrl === undefined).toBe(kind === 'postgres');
  });
});
it('ran on every backend that the machine has', () => {
  expect(seen).toEqual('missing' in testServices().redis ? ['postgres'] : ['postgres', 'redis']);
});
