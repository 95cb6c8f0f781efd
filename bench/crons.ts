import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Database } from '@gleaner/db';
import { startBenchWorld, type BenchWorld } from './engine/bench-world.ts';
import { addCrons } from './crons/add-crons.ts';
import { openTenant, type Tenant } from './engine/open-tenant.ts';
import { startTarget } from './engine/child.ts';
import { printResult, printTable } from './load/output.ts';
import { median, percentile, rounded } from './load/statistics.ts';

interface Scrape {
  /** `performance.now()` at its start. */
  from: number;
  ms: number;
}

async function scrapeTimes(tenant: Tenant, origin: string, isOver: () => boolean): Promise<Scrape[]> {
  const times: Scrape[] = [];
  while (!isOver()) {
    const from = performance.now();
    const url = encodeURIComponent(`${origin}/scrape/${times.length}`);
    const { status, text } = await tenant.client.call('GET', `/v1/scrape/${tenant.parserId}?url=${url}`);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    times.push({ from, ms: performance.now() - from });
    await delay(20);
  }
  return times;
}

async function awaitMirrored(db: Database): Promise<void> {
  for (;;) {
    const [row] = await db.sql<
      { n: number }[]
    >`SELECT count(*)::int AS n FROM gleaner.crons WHERE NOT is_mirrored`;
    if (row?.n === 0) return;
    await delay(500);
  }
}

/** Before the due time, scrapes are measured this long: the scheduler prepares the runs of many crons then. */
const BEFORE_MS = 3_500;
/** After the last firing, scrapes are measured this long: the runs are at work. */
const AFTER_MS = 5_000;
/** After the last due time. */
const MAX_SECONDS = 45;

/** Makes all crons due at one instant. @returns the instant, and their number */
async function makeDue(db: Database): Promise<{ at: Date; count: number }> {
  const [row] = await db.sql<{ count: number; at: string }[]>`
    WITH changed AS (UPDATE gleaner.crons SET next_fire_at = statement_timestamp() + interval '30 seconds'
      WHERE name = 'due' RETURNING next_fire_at)
    SELECT count(*)::int AS count, min(next_fire_at)::text AS at FROM changed`;
  return { at: new Date(row?.at ?? ''), count: row?.count ?? 0 };
}

/** Schedules so many crons for the same minute, so that their jobs in the queue come at that instant as well. */
async function scheduleTogether(db: Database, most: number): Promise<{ at: Date; count: number }> {
  const [row] = await db.sql<{ count: number; at: string }[]>`
    WITH due AS (SELECT date_trunc('minute', clock_timestamp() + interval '85 seconds') AS at), changed AS (
      UPDATE gleaner.crons c SET next_fire_at = due.at, is_mirrored = false, definition = definition + 1, schedule =
        extract(minute FROM due.at) || ' ' || extract(hour FROM due.at AT TIME ZONE 'UTC') || ' * * *'
      FROM due WHERE c.id IN (SELECT id FROM gleaner.crons WHERE name = 'due' ORDER BY random() LIMIT ${most})
      RETURNING c.next_fire_at)
    SELECT count(*)::int AS count, min(next_fire_at)::text AS at FROM changed`;
  await awaitMirrored(db);
  const at = new Date(row?.at ?? '');
  if (at.getTime() < Date.now() + 16_000) throw new Error('the queue took too long to take all crons');
  return { at, count: row?.count ?? 0 };
}

const REHEARSED = 1_000;

/** Fires a part of the crons, as a system in use has done: its connections have plans, and its code is compiled. */
async function rehearse(db: Database): Promise<void> {
  await db.sql`
    UPDATE gleaner.crons SET next_fire_at = statement_timestamp() + interval '8 seconds'
    WHERE id IN (SELECT id FROM gleaner.crons WHERE name = 'due' ORDER BY random() LIMIT ${REHEARSED}
      FOR UPDATE SKIP LOCKED)`;
  for (;;) {
    await delay(1_000);
    const [row] = await db.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM gleaner.crons
      WHERE name = 'due' AND next_fire_at < clock_timestamp() + interval '10 seconds'`;
    if (row?.n === 0) break;
  }
  await awaitEnded(db);
}

/** Measures how late crons fire, and scrapes meanwhile. */
async function measureDue(
  world: BenchWorld,
  scraping: { tenant: Tenant; origin: string },
  { at, count }: { at: Date; count: number },
) {
  const { db } = world;
  await delay(at.getTime() - Date.now() - BEFORE_MS);
  const before = world.cpu();
  const from = performance.now();
  let isOver = false;
  const scraped = scrapeTimes(scraping.tenant, scraping.origin, () => isOver);
  const firings = () => db.sql<{ late: number; outcome: string }[]>`
    SELECT extract(epoch FROM f.fired_at - f.scheduled_at)::float8 * 1000 AS late, f.outcome
    FROM gleaner.cron_firings f JOIN gleaner.crons c ON c.id = f.cron_id
    WHERE c.name = 'due' AND f.scheduled_at >= ${at.toISOString()}::text::timestamptz`;
  const countLeft = async (): Promise<number> => {
    const [row] = await db.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM gleaner.crons WHERE name = 'due' AND next_fire_at < ${at.toISOString()}::text::timestamptz + interval '1 hour'`;
    return row?.n ?? 0;
  };
  for (let waited = 0; (await countLeft()) > 0; waited += 1) {
    if (waited === MAX_SECONDS) {
      const left = await countLeft();
      throw new Error(
        `${left} crons have not fired; the processes wrote:\n${world.system.output().slice(-3_000)}`,
      );
    }
    await delay(1_000);
  }
  const firedAt = performance.now();
  await delay(AFTER_MS);
  isOver = true;
  const seconds = (performance.now() - from) / 1_000;
  const made = await scraped;
  const busy = made.map(({ ms }) => ms);
  const firing = made.filter((scrape) => scrape.from < firedAt).map(({ ms }) => ms);
  const running = made.filter((scrape) => scrape.from >= firedAt).map(({ ms }) => ms);
  const after = world.cpu();
  const rows = await firings();
  const late = rows.map((row) => row.late);
  return {
    crons: count,
    started: rows.filter(({ outcome }) => outcome === 'started').length,
    lateP50: rounded(median(late)),
    lateP99: rounded(percentile(late, 0.99)),
    lateMost: rounded(Math.max(...late)),
    scrapes: busy.length,
    scrapeP50: rounded(median(busy), 1),
    scrapeP99: rounded(percentile(busy, 0.99), 1),
    firingP99: rounded(percentile(firing, 0.99), 1),
    runningP99: rounded(percentile(running, 0.99), 1),
    schedulerCpu: rounded((after.scheduler - before.scheduler) / seconds / 10, 1),
    postgresCpu: rounded((after.postgres - before.postgres) / seconds / 10, 1),
    workerCpu: rounded((after.worker - before.worker) / seconds / 10, 1),
  };
}

/** CPU of scheduler, Postgres and Redis in percent of a core, while nothing is due. */
async function measureIdle(world: BenchWorld, seconds: number) {
  const before = world.cpu();
  await delay(seconds * 1_000);
  const after = world.cpu();
  const percent = (part: 'scheduler' | 'postgres' | 'redis'): number =>
    rounded((after[part] - before[part]) / seconds / 10, 2);
  return { scheduler: percent('scheduler'), postgres: percent('postgres'), redis: percent('redis') };
}

/**
 * Crons that are due together (`--only instant`: 1,000 and 10,000 at one instant), and crons that are not due at all (`--only idle`). With `--soon` the instant comes in 30 s, for all crons and without jobs in the queue.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      backend: { type: 'string', default: 'redis' },
      accounts: { type: 'string', default: '1000' },
      each: { type: 'string', default: '10' },
      idle: { type: 'string', default: '100000' },
      only: { type: 'string' },
      soon: { type: 'boolean', default: false },
    },
  });
  const from = performance.now();
  const say = (line: string): void => {
    process.stderr.write(`${rounded((performance.now() - from) / 1_000, 1)} s: ${line}\n`);
  };
  const does = (part: string): boolean => values.only === undefined || values.only === part;
  const target = await startTarget(5_000, 20);
  const world = await startBenchWorld(values.backend === 'postgres' ? 'postgres' : 'redis');
  const { db } = world;
  say('the system runs');
  const results: Record<string, Awaited<ReturnType<typeof measureDue>>> = {};
  const idle: Record<string, Awaited<ReturnType<typeof measureIdle>>> = {};
  try {
    const tenant = await openTenant(world);
    const scraping = { tenant, origin: target.origin };
    let left = 200;
    const calm = (await scrapeTimes(tenant, target.origin, () => left-- === 0)).slice(50).map(({ ms }) => ms);
    say(`scrapes alone: ${rounded(median(calm), 1)} ms`);
    if (does('idle')) idle['0'] = await measureIdle(world, 15);
    if (does('instant')) {
      await addCrons(db, world, {
        name: 'due',
        accounts: Number(values.accounts),
        each: Number(values.each),
        url: `${target.origin}/due`,
      });
      if (values.soon) await db.sql`UPDATE gleaner.crons SET is_mirrored = true WHERE name = 'due'`;
      await awaitMirrored(db);
      say('crons are there');
      await rehearse(db);
      say('a part of them has fired');
      for (const most of values.soon ? [Infinity] : [1_000, 10_000]) {
        const due = values.soon ? await makeDue(db) : await scheduleTogether(db, most);
        const result = await measureDue(world, scraping, due);
        results[`instant ${due.count}`] = result;
        say(`instant: ${JSON.stringify(result)}`);
        await awaitEnded(db);
      }
    }
    if (does('idle')) {
      const each = Math.round(Number(values.idle) / 1_000);
      await addCrons(db, world, { name: 'idle', accounts: 1_000, each, url: target.origin });
      await awaitMirrored(db);
      await delay(5_000);
      idle[values.idle] = await measureIdle(world, 30);
    }
    const scrapes = { p50: rounded(median(calm), 1), p99: rounded(percentile(calm, 0.99), 1) };
    printTable(Object.entries(results).map(([due, row]) => ({ due, ...row })));
    printTable(Object.entries(idle).map(([crons, row]) => ({ crons, ...row })));
    printResult({
      bench: 'crons',
      backend: world.backend,
      bars: { lateP99Of1000: 1_000, lateMostOf10000: 15_000, addedScrapeP99: 150, idlePercent: 2 },
      scrapes,
      addedScrapeP99: Object.fromEntries(
        Object.entries(results).map(([due, row]) => [due, rounded(row.scrapeP99 - scrapes.p99, 1)]),
      ),
      results,
      idle,
    });
  } finally {
    await world.stop();
    target.stop();
  }
}

async function awaitEnded(db: Database): Promise<void> {
  for (;;) {
    const [row] = await db.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM gleaner.runs WHERE state IN ('pending', 'running')`;
    if (row?.n === 0) return;
    await delay(500);
  }
}
