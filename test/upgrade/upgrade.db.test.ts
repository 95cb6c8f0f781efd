import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findViolations } from '@gleaner/core';
import { bothBackends, createTestDatabase } from '@gleaner/db/testing';
import { dropUnusedEngines } from '@gleaner/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processFile } from '../system/process-file.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { callApi, startSystem, type System } from '../system/start-system.ts';
import { bundlePrevious, missingPrevious, type PreviousVersion } from './previous-version.ts';

const missing = missingPrevious();
if (missing !== undefined)
  console.warn(`\n!! The update from the version before is NOT TESTED: ${missing}\n`);

const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
const BATCH = 40;
/** How long work goes on in each part of the update. */
const PART_MS = 3_000;

interface Account {
  id: string;
  key: string;
}

interface Load {
  /** Where clients send their requests; change it during the update. */
  urls: string[];
  accepted: { batches: string[]; jobs: string[]; scrapes: number };
  refusals: string[];
  /** Requests to an address that wait for their answer. */
  open(url: string): number;
  /** Resolves when the clients have their last answers. */
  stop(): Promise<void>;
}

/** Clients that submit batches and jobs, and scrape, one after another. */
function startLoad(account: Account, parserId: string, site: Site, first: string): Load {
  let isOver = false;
  let turn = 0;
  const open = new Map<string, number>();
  const load: Omit<Load, 'stop'> = {
    urls: [first],
    open: (url) => open.get(url) ?? 0,
    accepted: { batches: [], jobs: [], scrapes: 0 },
    refusals: [],
  };
  const target = { type: 'parser', parserId };
  const send = async (path: string, body?: object) => {
    turn += 1;
    const baseUrl = load.urls[turn % load.urls.length] ?? first;
    const method = body === undefined ? 'GET' : 'POST';
    open.set(baseUrl, load.open(baseUrl) + 1);
    const answer = await callApi(baseUrl, account.key, { method, path, body });
    open.set(baseUrl, load.open(baseUrl) - 1);
    if (answer.status >= 300) load.refusals.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const idOf = (json: unknown): string => (json as { id: string }).id;
  const repeat = async (pauseMs: number, work: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await work();
      await delay(pauseMs);
    }
  };
  const clients = [
    repeat(300, async () => {
      const urls = Array.from({ length: BATCH }, (_, n) => `${site.url}/item?n=${n}`);
      load.accepted.batches.push(idOf((await send('/v1/batches', { target, urls })).json));
    }),
    repeat(200, async () => {
      load.accepted.jobs.push(idOf((await send('/v1/jobs', { target, url: `${site.url}/product` })).json));
    }),
    repeat(50, async () => {
      const page = encodeURIComponent(`${site.url}/item?n=1`);
      const answer = await send(`/v1/scrape/${parserId}?url=${page}`);
      expect(answer.text).toContain('Item 1');
      load.accepted.scrapes += 1;
    }),
  ];
  return Object.assign(load, {
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  });
}

function createAccount(cli: string, env: NodeJS.ProcessEnv): Account {
  const words = ['accounts', 'create', '--name', 'upgraded', '--credits', '1000000', '--json'];
  const limits = ['--concurrency', '20', '--requests-per-minute', '1000000'];
  const text = execFileSync(process.execPath, [cli, ...words, ...limits], {
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  const made = JSON.parse(text) as { account: { id: string }; api_key: string };
  return { id: made.account.id, key: made.api_key };
}

describe.skipIf(missing !== undefined)('the update from the version before', () => {
  let previous: PreviousVersion;
  beforeAll(async () => {
    previous = await bundlePrevious();
  });
  afterAll(() => previous?.remove());

  bothBackends('under load', ({ redisUrl }) => {
    it('loses, doubles and refuses nothing while processes of both versions work', async () => {
      const database = await createTestDatabase({ isEmpty: true });
      const { sql } = database.db;
      const site = await startSite();
      const systems: System[] = [];
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: database.url };
      const start = async (dist: string): Promise<System> => {
        const system = await startSystem({ databaseUrl: database.url, redisUrl, dist, workers: 2 });
        systems.push(system);
        return system;
      };
      try {
        const formerCli = join(previous.dist, 'cli.js');
        execFileSync(process.execPath, [formerCli, 'migrate'], { env, stdio: 'pipe' });
        const account = createAccount(formerCli, env);
        const former = await start(previous.dist);
        const made = await callApi(former.baseUrl, account.key, {
          method: 'POST',
          path: '/v1/parsers',
          body: { name: 'p', schema: SCHEMA },
        });
        const parserId = (made.json as { id: string }).id;
        const load = startLoad(account, parserId, site, former.baseUrl);
        await delay(PART_MS);

        await promisify(execFile)(process.execPath, [processFile('cli'), 'migrate'], { env });
        await delay(PART_MS);
        const atMigration = load.accepted.batches.length;
        const next = await start(join(processFile('api'), '..'));
        load.urls = [former.baseUrl, next.baseUrl];
        await delay(2 * PART_MS);
        const working = new Set<number>();
        const haveWorked = async (): Promise<boolean[]> => {
          const rows = await sql<{ pid: number }[]>`
            SELECT DISTINCT w.pid FROM gleaner.requests r JOIN gleaner.workers w ON w.id = r.worker_id
            WHERE r.state = 'succeeded'`;
          for (const { pid } of rows) working.add(pid);
          return [former, next].map(({ workers }) => workers.some((worker) => working.has(worker.pid())));
        };
        await expect.poll(haveWorked, { timeout: 60_000 }).toEqual([true, true]);

        load.urls = [next.baseUrl];
        // A load balancer lets it give its last answers.
        await expect.poll(() => load.open(former.baseUrl), { timeout: 60_000 }).toBe(0);
        await former.stop();
        await delay(PART_MS);
        await load.stop();
        expect(load.refusals).toEqual([]);
        expect(load.accepted.batches.length).toBeGreaterThan(atMigration);

        const unfinished = async (): Promise<number> => {
          const [row] = await sql<{ count: number }[]>`
            SELECT count(*)::int AS count FROM gleaner.runs WHERE state IN ('pending', 'running')`;
          return row?.count ?? -1;
        };
        await expect.poll(unfinished, { timeout: 60_000 }).toBe(0);
        const { batches, jobs, scrapes } = load.accepted;
        const runs = await sql<{ id: string; state: string; succeeded: number }[]>`
          SELECT id, state, succeeded::int FROM gleaner.runs`;
        const wrong = runs.filter(
          ({ id, state, succeeded }) =>
            state !== 'succeeded' || succeeded !== (id.startsWith('bat') ? BATCH : 1),
        );
        expect(wrong).toEqual([]);
        expect(runs.map(({ id }) => id).toSorted()).toEqual([...batches, ...jobs].toSorted());
        const [credits] = await sql<{ used: number; reserved: number }[]>`
          SELECT used::int, reserved::int FROM gleaner.accounts WHERE id = ${account.id}`;
        expect(credits).toEqual({ used: batches.length * BATCH + jobs.length + scrapes, reserved: 0 });
        expect(await findViolations(database.db)).toEqual([]);

        // The functions of the version before go once nobody has called them for long.
        expect(await dropUnusedEngines(database.db)).toEqual([]);
        await sql`UPDATE gleaner.processes SET seen_at = now() - interval '2 hours' WHERE id = 'earlier'`;
        expect(await dropUnusedEngines(database.db)).toEqual(['engine']);
        await sql`UPDATE gleaner.accounts SET concurrency = concurrency + 1`;
      } finally {
        await Promise.all(systems.map((system) => system.stop()));
        await site.close();
        await database.close();
      }
    }, 300_000);
  });
});
