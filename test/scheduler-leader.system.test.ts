import { join } from 'node:path';
import { prepareDatabase } from '@gleaner/core';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startProcess, type RunningProcess } from './processes/process.ts';
import { PROCESS_ENV, processFile } from './system/process-file.ts';
import { until } from './system/until.ts';

/** Another process leads after 0.5 s, or 2 s when the leader froze; without a lease that ends, never. */
const TAKEN_OVER_MS = inject('isLong') ? 5_000 : 120_000;
const ROUNDS = 3;
const TIMEOUT_MS = 120_000;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let schedulers: RunningProcess[] = [];

/** Rounds of duties that failed in a process, by duty; it reports them with its heartbeat. */
async function failuresIn(scheduler: RunningProcess): Promise<Record<string, number>> {
  const rows = await database.db.sql<{ duty: string; count: number }[]>`
    SELECT value -> 'labels' ->> 'duty' AS duty, sum((value ->> 'value')::int)::int AS count
    FROM gleaner.workers, jsonb_path_query(metrics, '$[*] ? (@.name == "gleaner_duty_failures_total").values[*]') value
    WHERE pid = ${scheduler.pid()} GROUP BY 1`;
  return Object.fromEntries(rows.map(({ duty, count }) => [duty, count]));
}

/** Rounds of the broken duty, which show who runs duties. */
async function roundsOf(scheduler: RunningProcess): Promise<number> {
  return (await failuresIn(scheduler))['released rows'] ?? 0;
}

function timesLed(scheduler: RunningProcess): number {
  return scheduler.output().split('leads the schedulers').length - 1;
}

/** The time until this process leads once more than before. */
async function untilLeads(scheduler: RunningProcess, timesBefore: number): Promise<number> {
  const from = performance.now();
  await until('the other scheduler leads', () => timesLed(scheduler) > timesBefore, TAKEN_OVER_MS);
  return Math.round(performance.now() - from);
}

/** The one runs duties, and the other none meanwhile. */
async function leadsAlone(leader: RunningProcess, other: RunningProcess): Promise<void> {
  const goesOn = async (): Promise<void> => {
    const before = await roundsOf(leader);
    await until('the leader goes on', async () => (await roundsOf(leader)) >= before + ROUNDS);
  };
  // Meanwhile the other one reports the rounds of its own time.
  await goesOn();
  const before = await roundsOf(other);
  await goesOn();
  expect(await roundsOf(other)).toBe(before);
}

function startScheduler(name: string): Promise<RunningProcess> {
  return startProcess({
    name,
    command: process.execPath,
    args: [processFile('scheduler')],
    cwd: join(import.meta.dirname, '..'),
    env: { ...PROCESS_ENV, DATABASE_URL: database.url },
    isReady: (output) => output.includes('scheduler runs'),
    readyWithinMs: 120_000,
  });
}

/** The one that led last, and the one that did not. */
function both(): { leader: RunningProcess; other: RunningProcess } {
  const [leader, other] = schedulers;
  if (!leader || !other) throw new Error('there are no two schedulers');
  return { leader, other };
}

beforeAll(async () => {
  database = await createTestDatabase();
  await prepareDatabase(database.url);
  await database.db.sql`ALTER TABLE gleaner.quarantined_rows RENAME TO missing`;
  schedulers = await Promise.all([startScheduler('first'), startScheduler('second')]);
}, TIMEOUT_MS);

afterAll(async () => {
  for (const scheduler of schedulers) scheduler.signal('SIGCONT');
  await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
  await database.close();
}, TIMEOUT_MS);

it(
  'of two schedulers one runs the duties, counts and logs those that fail, and runs the others',
  async () => {
    await until('one leads', () => schedulers.some((scheduler) => timesLed(scheduler) > 0));
    schedulers.sort((a, b) => timesLed(b) - timesLed(a));
    const { leader, other } = both();
    await leadsAlone(leader, other);
    expect(await failuresIn(other)).toEqual({});
    // A busy machine comes to its last duty later.
    await expect
      .poll(() => failuresIn(leader))
      .toEqual({
        'released rows': expect.any(Number) as number,
        'old held rows': 1,
      });
    expect(leader.output()).toContain('"task":"released rows"');
  },
  TIMEOUT_MS,
);

it(
  'when the leader freezes the other leads, and the leader that wakes begins no round',
  async () => {
    const { leader, other } = both();
    leader.signal('SIGSTOP');
    const ms = await untilLeads(other, 0);
    console.info(`the leader froze: the other leads after ${ms} ms`);
    expect(timesLed(other)).toBe(1);
    leader.signal('SIGCONT');
    await until('the old leader notices', () => leader.output().includes('stopped leading the schedulers'));
    await leadsAlone(other, leader);
    schedulers = [other, leader];
  },
  TIMEOUT_MS,
);

it(
  'when Postgres ends all connections one leads again',
  async () => {
    await database.db.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'gleaner-scheduler'`;
    const before = await Promise.all(schedulers.map(roundsOf));
    // The leader may keep the lead with a new connection. More rounds than one reports late show who leads.
    const leading = async (): Promise<number> => {
      const rounds = await Promise.all(schedulers.map(roundsOf));
      return rounds.findIndex((count, i) => count >= (before[i] ?? 0) + 2 * ROUNDS);
    };
    await until('one leads', async () => (await leading()) >= 0);
    if ((await leading()) === 1) schedulers.reverse();
    const { leader, other } = both();
    await leadsAlone(leader, other);
    expect(await roundsOf(leader)).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

it(
  'when the leader is killed the other leads',
  async () => {
    const { leader, other } = both();
    const before = timesLed(other);
    await leader.kill();
    const ms = await untilLeads(other, before);
    console.info(`the leader was killed: the other leads after ${ms} ms`);
    expect(timesLed(other)).toBe(before + 1);
    await leader.restart();
    await leadsAlone(other, leader);
    schedulers = [other, leader];
  },
  TIMEOUT_MS,
);

it(
  'a leader that ends gives the lead away',
  async () => {
    const { leader, other } = both();
    const before = timesLed(other);
    const stopping = leader.stop();
    await untilLeads(other, before);
    await stopping;
    expect(timesLed(other)).toBe(before + 1);
  },
  TIMEOUT_MS,
);
