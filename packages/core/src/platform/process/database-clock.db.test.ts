import { afterAll, expect, it, vi } from 'vitest';
import { createTestDatabase } from '@gleaner/db/testing';
import { openDatabaseClock } from './database-clock.ts';
import { readDatabaseTime } from './read-database-time.ts';

const test = await createTestDatabase();
afterAll(async () => {
  vi.useRealTimers();
  await test.close();
});

it('is Postgres’ clock, within the time that its comparisons took, whatever this machine’s says', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  const readTime = async (): Promise<number> => Date.parse(await readDatabaseTime(test.db.orm));
  const opened = performance.now();
  const clock = await openDatabaseClock(test.db);
  // Times are read in whole milliseconds.
  const tookMs = performance.now() - opened + 1;
  const before = await readTime();
  const now = clock.now();
  const after = await readTime();
  expect(now).toBeGreaterThanOrEqual(before - tookMs);
  expect(now).toBeLessThanOrEqual(after + tookMs);
});
