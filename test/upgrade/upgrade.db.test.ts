import { execFile, execFileSync, type PromiseWithChild } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findViolations } from '@gleaner/core/find-violations';
import { dropUnusedEngines, migrate } from '@gleaner/db';
import { bothBackends, createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { processFile } from '../system/process-file.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { startSystem, type System } from '../system/start-system.ts';
import { bundleNext, bundlePrevious, missingPrevious, type OtherVersion } from './previous-version.ts';
import { BATCH, createAccount, createParser, startLoad, type Account, type Load } from './load.ts';

const missing = missingPrevious();

/** How long work goes on in each part of the update. */
const PART_MS = 1_500;
/** More tasks than a worker runs at once. */
const SLOW = 30;

/** Suits a busy machine. */
const WAIT = { timeout: 240_000 };

const run = promisify(execFile);

/** A database with processes of several versions. */
interface Update {
  database: TestDatabase;
  site: Site;
  start(dist: string, workers?: number): Promise<System>;
  /** Runs `gleaner` of a version. */
  gleaner(dist: string, ...words: string[]): PromiseWithChild<{ stdout: string; stderr: string }>;
  /** Starts the first version with its clients. */
  begin(dist: string, workers?: number): Promise<{ former: System; account: Account; load: Load }>;
  close(): Promise<void>;
}

async function openUpdate(redisUrl: string | undefined): Promise<Update> {
  const database = await createTestDatabase({ isEmpty: true });
  const site = await startSite();
  const systems: System[] = [];
  let load: Load | undefined;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: database.url };
  const start = async (dist: string, workers = 1): Promise<System> => {
    const system = await startSystem({ databaseUrl: database.url, redisUrl, dist, workers });
    systems.push(system);
    return system;
  };
  return {
    database,
    site,
    start,
    gleaner: (dist, ...words) => run(process.execPath, [join(dist, 'cli.js'), ...words], { env }),
    begin: async (dist, workers) => {
      execFileSync(process.execPath, [join(dist, 'cli.js'), 'migrate'], { env, stdio: 'pipe' });
      const made = createAccount(join(dist, 'cli.js'), env);
      const former = await start(dist, workers);
      const account = { ...made, parserId: await createParser(former.baseUrl, made.key) };
      load = startLoad(account, site, former.baseUrl);
      return { former, account, load };
    },
    close: async () => {
      await load?.stop().catch(() => undefined);
      await Promise.all(systems.map((system) => system.stop()));
      await site.close();
      await database.close();
    },
  };
}

/** Waits until a worker of each system has answered a request. */
async function untilAllWork({ db }: TestDatabase, systems: readonly System[]): Promise<void> {
  const working = new Set<number>();
  const haveWorked = async (): Promise<boolean[]> => {
    const rows = await db.sql<{ pid: number }[]>`
      SELECT DISTINCT w.pid FROM gleaner.requests r JOIN gleaner.workers w ON w.id = r.worker_id
      WHERE r.state = 'succeeded'`;
    for (const { pid } of rows) working.add(pid);
    return systems.map(({ workers }) => workers.some((worker) => working.has(worker.pid())));
  };
  await expect.poll(haveWorked, WAIT).toEqual(systems.map(() => true));
}

/** Sends clients to the next system alone, and stops the former one when it has answered. */
async function replace(former: System, next: System, load: Load): Promise<void> {
  load.urls.splice(0, Infinity, next.baseUrl);
  // A load balancer lets it give its last answers.
  await expect.poll(() => load.open(former.baseUrl), WAIT).toBe(0);
  await former.stop();
  await delay(PART_MS);
}

/** Ends the load, and checks that each accepted input has one outcome, at the first try, and was charged once. */
async function checkOutcomes({ db }: TestDatabase, { id }: Account, load: Load): Promise<void> {
  await load.stop();
  expect(load.refusals).toEqual([]);
  const unfinished = async (): Promise<number> => {
    const [row] = await db.sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM gleaner.runs WHERE state IN ('pending', 'running')`;
    return row?.count ?? -1;
  };
  await expect.poll(unfinished, WAIT).toBe(0);
  const { batches, jobs, scrapes } = load.accepted;
  const runs = await db.sql<{ id: string; state: string; succeeded: number; total: number }[]>`
    SELECT id, state, succeeded::int, total::int FROM gleaner.runs`;
  expect(runs.filter(({ state, succeeded, total }) => state !== 'succeeded' || succeeded !== total)).toEqual(
    [],
  );
  expect(runs.map((row) => row.id).toSorted()).toEqual([...batches, ...jobs].toSorted());
  const pages = runs.reduce((sum, { total }) => sum + total, 0);
  expect(pages).toBeGreaterThanOrEqual((batches.length - 1) * BATCH + jobs.length);
  const [credits] = await db.sql<{ used: number; reserved: number }[]>`
    SELECT used::int, reserved::int FROM gleaner.accounts WHERE id = ${id}`;
  expect(credits).toEqual({ used: pages + scrapes, reserved: 0 });
  // A lease can run out on a slow machine; its pages are then fetched again, and charged once.
  if (inject('isLong'))
    expect(await db.sql`SELECT run_no, seq, attempts FROM gleaner.results WHERE attempts > 1`).toEqual([]);
  // The audit calls this version's functions, which a later version may have dropped.
  await migrate(db.directUrl);
  expect(await findViolations(db)).toEqual([]);
}

let previous: OtherVersion;
let later: OtherVersion;
beforeAll(async () => {
  if (missing === undefined) previous = await bundlePrevious();
  later = await bundleNext();
});
afterAll(() => {
  previous?.remove();
  later?.remove();
});

bothBackends('under load', ({ redisUrl }) => {
  describe.skipIf(missing !== undefined)('the update from the version before', { meta: { missing } }, () => {
    it('stops chunks alone, and loses, doubles and refuses nothing', async () => {
      const update = await openUpdate(redisUrl);
      const { database, site, gleaner } = update;
      const { sql } = database.db;
      const now = join(processFile('cli'), '..');
      try {
        const { former, account, load } = await update.begin(previous.dist, 2);
        await delay(PART_MS);

        const plan = await gleaner(now, 'migrate', '--dry-run');
        const refused = await gleaner(now, 'migrate', '--wait', '0').catch((error: unknown) => String(error));
        for (const { pid } of [...former.workers, former.scheduler]) {
          expect(plan.stdout).toContain(`(pid ${pid()})`);
          expect(refused).toContain(`(pid ${pid()})`);
        }
        expect(refused).toMatch(/can't run beside worker 0\.1\.0 .*: stop them with SIGTERM/);
        expect(refused).not.toContain(`(pid ${former.api.pid()})`);
        expect(await sql`SELECT to_regclass('gleaner.turns') AS turns`).toEqual([{ turns: null }]);

        // One worker dies with a chunk that runs, the other processes of batches end as they should.
        const release = site.hold('/slow');
        const slow = await load.submitSlow(SLOW);
        const holders = async (): Promise<number[]> => {
          const rows = await sql<{ pid: number }[]>`
            SELECT DISTINCT w.pid FROM gleaner.chunks c JOIN gleaner.workers w ON w.id = c.worker_id
            JOIN gleaner.runs r ON r.no = c.run_no WHERE r.id = ${slow} AND c.state = 'running'`;
          return rows.map(({ pid }) => pid);
        };
        await expect.poll(holders, WAIT).not.toEqual([]);
        await expect.poll(() => site.hits('/slow'), WAIT).toBeGreaterThan(0);
        await load.pauseScrapes();
        const [holder] = await holders();
        const migrated = gleaner(now, 'migrate');
        while (migrated.child.stderr !== null) {
          const [text] = (await once(migrated.child.stderr, 'data')) as [string];
          if (text.includes('waiting for worker 0.1.0')) break;
        }
        await Promise.all([
          former.scheduler.stop(),
          ...former.workers.map((worker) => (worker.pid() === holder ? worker.kill() : worker.stop())),
        ]);
        release();
        await migrated;

        const atMigration = load.accepted.batches.length;
        await expect.poll(() => load.accepted.batches.length, WAIT).toBeGreaterThan(atMigration);
        const afterMigration = load.accepted.batches.length;
        // Nothing was cut, and what the dead worker had waits for a leader.
        const held = await sql`
          SELECT DISTINCT c.state, w.pid FROM gleaner.chunks c LEFT JOIN gleaner.workers w ON w.id = c.worker_id
          WHERE c.state <> 'pending'`;
        expect(held).toEqual([{ state: 'running', pid: holder }]);
        // Nobody brings them back by mistake.
        await expect(former.scheduler.restart()).rejects.toThrow("lacks this version's functions");
        await expect(gleaner(previous.dist, 'migrate')).rejects.toThrow(/belongs to a later version/);

        const next = await update.start(now);
        load.resumeScrapes();
        const last = load.accepted.batches.at(-1) ?? '';
        const stateOf = async (id: string): Promise<unknown> =>
          (await sql<{ state: string }[]>`SELECT state FROM gleaner.runs WHERE id = ${id}`)[0]?.state;
        // Of an API process that knows no turns.
        await expect.poll(() => stateOf(last), WAIT).toBe('succeeded');
        load.urls.push(next.baseUrl);
        await delay(2 * PART_MS);
        await untilAllWork(database, [next]);
        await replace(former, next, load);
        expect(load.accepted.batches.length).toBeGreaterThan(afterMigration);
        await checkOutcomes(database, account, load);

        // The functions of the version before go once nobody has called them for long.
        expect(await dropUnusedEngines(database.db.sql)).toEqual([]);
        await sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours'`;
        expect(await dropUnusedEngines(database.db.sql)).toEqual([expect.stringMatching(/^engine_/)]);
        await sql`UPDATE gleaner.accounts SET concurrency = concurrency + 1`;
      } finally {
        await update.close();
      }
    }, 600_000);
  });

  describe('an update to a version with other functions', () => {
    it('loses, doubles and refuses nothing while processes of both versions work', async () => {
      const update = await openUpdate(redisUrl);
      try {
        const { former, account, load } = await update.begin(join(processFile('cli'), '..'));
        await delay(PART_MS);
        await update.gleaner(later.dist, 'migrate');
        await delay(PART_MS);
        const next = await update.start(later.dist);
        load.urls.push(next.baseUrl);
        await delay(2 * PART_MS);
        await untilAllWork(update.database, [former, next]);
        const [engines] = await update.database.db.sql`
          SELECT count(DISTINCT engine)::int AS count FROM gleaner.processes`;
        expect(engines).toEqual({ count: 2 });
        await replace(former, next, load);
        await checkOutcomes(update.database, account, load);
      } finally {
        await update.close();
      }
    }, 600_000);
  });
});
