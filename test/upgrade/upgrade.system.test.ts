import { execFile, execFileSync, type PromiseWithChild } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findViolations } from '@gleaner/core/find-violations';
import { dropUnusedEngines, ENGINE, migrate } from '@gleaner/db';
import { eitherBackend, createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processFile } from '../system/process-file.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { startSystem, type System } from '../system/start-system.ts';
import { bundlePrevious, makeNext, missingPrevious, type OtherVersion } from './previous-version.ts';
import { BATCH, createAccount, createParser, startLoad, type Account, type Load } from './load.ts';

const missing = missingPrevious();

/** How long work goes on in each part of the update. */
const PART_MS = 800;
/** A worker runs fewer tasks at once. */
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
  /** Migrates to the first version, makes an account by it, and starts it. */
  begin(dist: string, workers?: number): Promise<{ first: System; account: Account }>;
  /** Starts clients of a system. */
  load(account: Account, system: System): Load;
  /** All clients so far. */
  loads: readonly Load[];
  close(): Promise<void>;
}

async function openUpdate(redisUrl: string | undefined): Promise<Update> {
  const database = await createTestDatabase({ isEmpty: true });
  const site = await startSite();
  const systems: System[] = [];
  const loads: Load[] = [];
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, DATABASE_URL: database.url };
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
      const first = await start(dist, workers);
      return { first, account: { ...made, parserId: await createParser(first.baseUrl, made.key) } };
    },
    load: (account, system) => {
      const load = startLoad(account, site, system.baseUrl);
      loads.push(load);
      return load;
    },
    loads,
    close: async () => {
      await Promise.all(loads.map((load) => load.stop().catch(() => undefined)));
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

/** Ends the load, and checks that each input accepted so far has one outcome, at the first try, and was charged once. */
async function checkOutcomes({ database: { db }, loads }: Update, { id }: Account): Promise<void> {
  await Promise.all(loads.map((load) => load.stop()));
  expect(loads.flatMap(({ refusals }) => refusals)).toEqual([]);
  const unfinished = async (): Promise<number> => {
    const [row] = await db.sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM gleaner.runs WHERE state IN ('pending', 'running')`;
    return row?.count ?? -1;
  };
  await expect.poll(unfinished, WAIT).toBe(0);
  const batches = loads.flatMap(({ accepted }) => accepted.batches);
  const jobs = loads.flatMap(({ accepted }) => accepted.jobs);
  const scrapes = loads.reduce((sum, { accepted }) => sum + accepted.scrapes, 0);
  const runs = await db.sql<{ id: string; state: string; succeeded: number; total: number }[]>`
    SELECT id, state, succeeded::int, total::int FROM gleaner.runs`;
  expect(runs.filter(({ state, succeeded, total }) => state !== 'succeeded' || succeeded !== total)).toEqual(
    [],
  );
  expect(runs.map((row) => row.id).toSorted()).toEqual([...batches, ...jobs].toSorted());
  const pages = runs.reduce((sum, { total }) => sum + total, 0);
  expect(pages).toBeGreaterThanOrEqual((batches.length - loads.length) * BATCH + jobs.length);
  const [credits] = await db.sql<{ used: number; reserved: number }[]>`
    SELECT used::int, reserved::int FROM gleaner.accounts WHERE id = ${id}`;
  expect(credits).toEqual({ used: pages + scrapes, reserved: 0 });
  expect(await db.sql`SELECT run_no, seq, attempts FROM gleaner.results WHERE attempts > 1`).toEqual([]);
  // The audit calls this version's functions, which a later version may have dropped.
  await migrate(db.directUrl);
  expect(await findViolations(db)).toEqual([]);
}

let previous: OtherVersion;
let later: OtherVersion;
beforeAll(() => {
  if (missing === undefined) previous = bundlePrevious();
  later = makeNext();
});
afterAll(() => {
  previous?.remove();
  later?.remove();
});

eitherBackend('under load', 'postgres', ({ redisUrl }) => {
  const now = join(processFile('cli'), '..');
  let update: Update;
  let account: Account;
  let system: System | undefined;
  beforeAll(async () => {
    update = await openUpdate(redisUrl);
  });
  afterAll(() => update.close());

  describe.skipIf(missing !== undefined)('the update from the version before', { meta: { missing } }, () => {
    it('stops chunks alone, and loses, doubles and refuses nothing', async () => {
      const { database, site, gleaner } = update;
      const { sql } = database.db;
      const begun = await update.begin(previous.dist, 2);
      const former = begun.first;
      account = begun.account;
      const load = update.load(account, former);
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
      system = next;
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
      await checkOutcomes(update, account);

      // The functions of the version before go once nobody has called them for long.
      expect(await dropUnusedEngines(database.db.sql)).toEqual([]);
      await sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours' WHERE engine <> ${ENGINE}`;
      expect(await dropUnusedEngines(database.db.sql)).toEqual([expect.stringMatching(/^engine_/)]);
      await sql`UPDATE gleaner.accounts SET concurrency = concurrency + 1`;
    }, 600_000);
  });

  it('an update to a version with other functions loses, doubles and refuses nothing while processes of both work', async () => {
    if (system === undefined) ({ first: system, account } = await update.begin(now));
    const former = system;
    const load = update.load(account, former);
    await delay(PART_MS);
    await update.gleaner(later.dist, 'migrate');
    await delay(PART_MS);
    const next = await update.start(later.dist);
    load.urls.push(next.baseUrl);
    await delay(2 * PART_MS);
    await untilAllWork(update.database, [former, next]);
    const [engines] = await update.database.db.sql`
      SELECT count(DISTINCT engine)::int AS count FROM gleaner.processes WHERE seen_at > now() - interval '1 hour'`;
    expect(engines).toEqual({ count: 2 });
    await replace(former, next, load);
    await checkOutcomes(update, account);
  }, 600_000);
});
