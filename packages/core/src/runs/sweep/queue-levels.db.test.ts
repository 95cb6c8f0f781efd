import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { beat } from '../../platform/workers/heartbeat.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { setQueueLevels } from './set-queue-levels.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

async function fairLevel(limits: readonly number[], slots: number): Promise<number | null> {
  const [row] = await sql<{ level: number | null }[]>`
    SELECT engine.fair_level(${`{${limits.join(',')}}`}::text::int[], ${slots}) AS level`;
  return row?.level ?? null;
}

it('gives every account slots up to a common level, and leaves no slot unused', async () => {
  const limits = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(limits, fc.integer({ min: 1, max: 5_000 }), async (wanted, slots) => {
      const level = await fairLevel(wanted, slots);
      const given = (at: number): number => wanted.reduce((sum, limit) => sum + Math.min(limit, at), 0);
      if (level === null) expect(given(500)).toBeLessThanOrEqual(slots);
      else {
        expect(given(level)).toBeLessThanOrEqual(Math.max(slots, wanted.length));
        expect(given(level + 1)).toBeGreaterThan(slots);
      }
    }),
    { numRuns: 100 },
  );
});

it('admits a quarter more than the workers can run, regardless of the accounts’ limits', async () => {
  const submit = async (concurrency: number): Promise<string> => {
    const { accountId } = await createTestAccount(services, { credits: 10_000, concurrency });
    await submitTestRun(services, accountId, testUrls(2_000));
    return accountId;
  };
  const admitted = async (): Promise<number> => {
    const [row] = await sql<
      { slots: number }[]
    >`SELECT sum(slots)::int AS slots FROM gleaner.chunks WHERE state <> 'pending'`;
    return row?.slots ?? 0;
  };
  const setLevels = async (): Promise<void> => {
    // Workers count for 3 s after their heartbeats.
    for (const workerId of ['wrk_a', 'wrk_b'])
      await beat(services.db, { workerId, engines: ['http'], refuses: null, capacity: { http: 32 } });
    await setQueueLevels(services);
  };
  await Promise.all([submit(8), submit(8), submit(8)]);
  expect(await admitted()).toBe(24);
  await setLevels();
  expect(await sql`SELECT queue, slots FROM gleaner.queue_levels`).toEqual([
    { queue: 'batch-http', slots: 1_000_000 },
  ]);
  const large = await submit(400);
  expect(await admitted()).toBe(424);
  await setLevels();
  await sql`DELETE FROM gleaner.chunks WHERE account_id = ${large}`;
  await sql`SELECT * FROM engine.admit(${large})`;
  expect(await admitted()).toBe(80);
});
