import { ENGINE } from '@gleaner/db';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSubmitServices, openCronAccount, openTestServices } from '@gleaner/core/testing';
import type { QueueBackend } from '@gleaner/queue';
import { Redis } from 'ioredis';
import { eitherBackend } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startProcess, type RunningProcess } from '../processes/process.ts';
import { startRedis, type TestRedis } from '../processes/redis.ts';
import { until } from '../system/until.ts';
import { PROCESS_ENV, processFile } from '../system/process-file.ts';

const root = join(import.meta.dirname, '../..');
const HOUR_MS = 3_600_000;
/** Longer than the lease of a scheduler that was killed, also on a busy machine. */
const HEALED_MS = 180_000;
/** Longer than a busy machine needs, and much less than the clocks are wrong. */
const LATE_S = 60;

/** Another scheduler process. @param stepMs how wrong its clock is */
function startScheduler(env: Record<string, string>, stepMs = 0): Promise<RunningProcess> {
  return startProcess({
    name: 'scheduler',
    command: process.execPath,
    args: ['--import', join(root, 'test/processes/step-clock.mjs'), processFile('scheduler')],
    cwd: root,
    env: {
      ...PROCESS_ENV,
      CLOCK_STEP_MS: String(stepMs),
      ...env,
    },
    isReady: (output) => output.includes('scheduler runs'),
    readyWithinMs: 180_000,
  });
}

function listWakeUps(queue: QueueBackend) {
  return queue.queue('crons').getJobSchedulers(0, 5_000, true);
}

async function openBackend(kind: 'redis' | 'postgres') {
  const redis = kind === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
  const opened = await openTestServices({ kind, redisUrl: redis && 'url' in redis ? redis.url : undefined });
  const submitServices = createSubmitServices(opened.services);
  const services = { ...opened.services, ...submitServices, config: opened.services.config };
  const env: Record<string, string> = {
    DATABASE_URL: opened.database.url,
    ...(redis && 'url' in redis ? { REDIS_URL: redis.url } : {}),
  };
  const account = await openCronAccount(services, { credits: 100_000, cronLimit: 4_000 });
  const { sql } = services.db;
  let round = 0;
  let name = '';
  let due = '';
  return {
    redis: redis && 'url' in redis ? redis : undefined,
    services,
    account,
    env,
    /** Makes so many new crons that are due once, in so many seconds. */
    setCronsDue: async (count: number, seconds: number): Promise<void> => {
      round += 1;
      name = `round ${round}`;
      const cron = await account.create({ schedule: '0 0 29 2 *' });
      await sql`
        INSERT INTO gleaner.crons (id, account_id, name, description, url, input_count, schedule, timezone, target,
          scrape_config, sink, is_enabled, overlap, pause_after_failures, next_fire_at)
        SELECT c.id || '_' || n, account_id, ${name}, description, url, input_count, schedule, timezone, target, scrape_config,
          sink, is_enabled, overlap, pause_after_failures, statement_timestamp() + ${seconds} * interval '1 second'
        FROM gleaner.crons c, generate_series(1, ${count}) n WHERE c.id = ${cron.id}`;
      const [row] = await sql<{ due: string }[]>`
        SELECT ${sql(ENGINE)}.iso_time(min(next_fire_at)) AS due FROM gleaner.crons WHERE name = ${name}`;
      due = row?.due ?? '';
    },
    /** How many of the new crons the queue would wake. */
    countWakeUps: async (): Promise<number> => {
      const rows = await sql<{ id: string }[]>`SELECT id FROM gleaner.crons WHERE name = ${name}`;
      const listed = new Set((await listWakeUps(services.queue)).map(({ key }) => key));
      return rows.filter(({ id }) => listed.has(id)).length;
    },
    msUntilDue: () => Date.parse(due) - Date.now(),
    /** Waits for the moment at which they are due, or for a time before it. */
    awaitDue: async (beforeMs = 0): Promise<void> => {
      await delay(Math.max(0, Date.parse(due) - Date.now() - beforeMs));
    },
    /** Waits until all have fired, then checks that each did once, and has one run, reserved once. */
    expectFiredOnce: async (count: number, cause: string): Promise<number> => {
      await until(
        'all crons fire',
        async () => {
          const [row] = await sql<{ n: number }[]>`
            SELECT count(DISTINCT cron_id)::int AS n FROM gleaner.cron_firings f
            JOIN gleaner.crons c ON c.id = f.cron_id WHERE c.name = ${name}`;
          return row?.n === count;
        },
        HEALED_MS,
      );
      // Time in which a second firing would show.
      await delay(1_500);
      const [row] = await sql<Record<string, number>[]>`
        SELECT count(*)::int AS firings, count(f.run_id)::int AS runs,
          count(*) FILTER (WHERE f.outcome = 'started' AND f.cause = ${cause})::int AS started,
          (SELECT count(*)::int FROM gleaner.runs WHERE name = ${name}) AS all_runs,
          (SELECT count(*)::int FROM gleaner.runs r JOIN gleaner.ledger_entries l ON l.reference = r.id AND l.kind = 'reserve'
            WHERE r.name = ${name}) AS reserved,
          count(*) FILTER (WHERE c.next_fire_at < now())::int AS overdue,
          coalesce(max(extract(epoch FROM f.fired_at - f.scheduled_at)), 0)::float8 AS latest
        FROM gleaner.cron_firings f JOIN gleaner.crons c ON c.id = f.cron_id WHERE c.name = ${name}`;
      const [firings, runs, started, all_runs, reserved] = Array.from({ length: 5 }, () => count);
      expect(row).toMatchObject({ firings, runs, started, all_runs, reserved, overdue: 0 });
      return row?.latest ?? 0;
    },
    close: async () => {
      await submitServices.external.close();
      await opened.close();
      if (redis && 'url' in redis) await redis.stop();
    },
  };
}

eitherBackend('a due time fires exactly once', 'redis', ({ kind }) => {
  let world: Awaited<ReturnType<typeof openBackend>>;
  let schedulers: RunningProcess[] = [];
  beforeAll(async () => {
    world = await openBackend(kind);
  });
  afterAll(async () => {
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
    await world.close();
  });

  it('once, late, after ten minutes without a scheduler', async () => {
    await world.setCronsDue(20, -600);
    schedulers = [await startScheduler(world.env)];
    await world.expectFiredOnce(20, 'catchup');
  });

  it('by three schedulers, with clocks that are right, an hour ahead and an hour behind', async () => {
    schedulers.push(
      ...(await Promise.all([HOUR_MS, -HOUR_MS].map((stepMs) => startScheduler(world.env, stepMs)))),
    );
    await world.setCronsDue(50, 2);
    expect(await world.expectFiredOnce(50, 'schedule')).toBeLessThan(LATE_S);
  });

  it('though a scheduler is killed at the due instant', async () => {
    await world.setCronsDue(200, 2);
    await world.awaitDue();
    await schedulers[0]?.kill();
    await world.expectFiredOnce(200, 'schedule');
    await schedulers[0]?.restart();
  });

  it.each(inject('isLong') ? [150, 50, 0] : [50])(
    'though schedulers have claimed many, and one is killed %i ms before',
    async (beforeMs) => {
      await world.setCronsDue(600, 4);
      await world.awaitDue(beforeMs);
      await schedulers[1]?.kill();
      await world.expectFiredOnce(600, 'schedule');
      await schedulers[1]?.restart();
    },
  );

  it('with its wake-up in the queue, which names the same next time', async () => {
    const cron = await world.account.create({ schedule: '30 4 * * *', timezone: 'Europe/Berlin' });
    let listed: Awaited<ReturnType<typeof listWakeUps>> = [];
    await until('the queue has the wake-up', async () => {
      listed = await listWakeUps(world.services.queue);
      return listed.some(({ key }) => key === cron.id);
    });
    const wakeUp = listed.find(({ key }) => key === cron.id);
    // The clock of whoever made it may be wrong by an hour, so the next day's time is as good.
    expect(Math.abs((wakeUp?.next ?? 0) - Date.parse(cron.next_run_at ?? ''))).toBeLessThanOrEqual(
      24 * HOUR_MS,
    );
  });

  if (kind === 'postgres') return;

  it('though Redis loses everything just before, and the wake-ups come back', async () => {
    const redis = new Redis(world.redis?.url ?? '', { maxRetriesPerRequest: 1 });
    // A busy machine may need longer for the wake-ups than the first of these times leaves.
    for (let seconds = 10; world.msUntilDue() <= 0; seconds *= 2) {
      await world.setCronsDue(20, seconds);
      await until('wake-ups are made', async () => (await world.countWakeUps()) === 20);
      await redis.flushall();
    }
    await redis.quit();
    await until('wake-ups are back', async () => (await world.countWakeUps()) === 20);
    await world.expectFiredOnce(20, 'schedule');
  });

  it('while the queue is unavailable', async () => {
    const redis = world.redis as TestRedis;
    await world.setCronsDue(20, 3);
    await redis.stop();
    await world.awaitDue();
    expect(await world.expectFiredOnce(20, 'schedule')).toBeLessThan(LATE_S);
  });
});
