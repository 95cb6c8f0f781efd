import { setTimeout as delay } from 'node:timers/promises';
import { findViolations } from '@gleaner/core/find-violations';
import { startChaosSite } from '../chaos/chaos-site.ts';
import { createTenant, type Tenant } from '../chaos/load.ts';
import { createRandom } from '../random.ts';
import { awaitQuiet, checkAccepted } from '../chaos/run-chaos.ts';
import { startWorld, type Backend, type World } from '../chaos/world.ts';
import { startSoakLoad, type Latency } from './soak-load.ts';
import { growthOf, sampleProcesses, type Growth, type Sample } from './watch-processes.ts';

export interface SoakOptions {
  backend: Backend;
  minutes: number;
  seed: number;
  /** Inputs of each batch. */
  size: number;
  hasBrowser: boolean;
  /** Between two kills. */
  killEveryMs: number;
  say: (line: string) => void;
}

export interface Quarter {
  scrapes: number;
  p50Ms: number;
  p99Ms: number;
}

export interface SoakResult {
  growth: Growth[];
  quarters: Quarter[];
  browserQuarters: Quarter[];
  connections: { first: number; last: number };
  /** Bytes of the largest tables after the warm-up and at the end. */
  tables: { name: string; firstMb: number; lastMb: number }[];
  counts: Record<string, number>;
  kills: number;
  violations: string[];
}

const SAMPLE_MS = 5_000;
const LARGEST = 8;

function quartersOf(latencies: readonly Latency[], fromMs: number, toMs: number): Quarter[] {
  const width = (toMs - fromMs) / 4;
  return [0, 1, 2, 3].map((quarter) => {
    const own = latencies
      .filter(({ atMs }) => Math.floor((atMs - fromMs) / width) === quarter)
      .map(({ tookMs }) => tookMs)
      .toSorted((one, other) => one - other);
    const at = (share: number): number => Math.round(own[Math.floor(own.length * share)] ?? 0);
    return { scrapes: own.length, p50Ms: at(0.5), p99Ms: at(0.99) };
  });
}

async function readTables({ db }: World): Promise<Map<string, number>> {
  const rows = await db.sql<{ name: string; mb: number }[]>`
    SELECT regexp_replace(c.relname, '_[0-9]+$', '_*') AS name,
      (sum(pg_total_relation_size(c.oid)) / 1048576)::float8 AS mb
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' GROUP BY 1`;
  return new Map(rows.map(({ name, mb }) => [name, mb]));
}

async function countConnections({ db }: World): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'`;
  return row?.count ?? 0;
}

function processesOf({ system, postgres, redis }: World): { name: string; pid: number }[] {
  const { api, scheduler, workers } = system;
  return [
    ...[api, scheduler, ...workers].map((process) => ({ name: process.name, pid: process.pid() })),
    ...postgres
      .pids()
      .slice(0, 1)
      .map((pid) => ({ name: 'postgres', pid })),
    ...(redis ? [{ name: 'redis', pid: redis.pid() }] : []),
  ];
}

/**
 * Lets real processes work for some time with a mix of everything, kills the last worker now and then, and measures
 * what grows. The first fifth is the warm-up.
 */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { backend, minutes, size, hasBrowser, killEveryMs, say } = options;
  const random = createRandom(options.seed);
  const site = await startChaosSite(random);
  const world = await startWorld(backend, hasBrowser ? { GLEANER_WORKER_QUEUES: 'http,browser' } : {});
  try {
    const tenants: Tenant[] = [];
    for (const name of ['a', 'b']) tenants.push(await createTenant(world, name));
    const load = await startSoakLoad(tenants, site, { size, hasBrowser });
    const from = performance.now();
    const warmAt = from + minutes * 12_000;
    const until = from + minutes * 60_000;
    const samples: Sample[] = [];
    let kills = 0;
    let killAt = from + killEveryMs;
    let first: { tables: Map<string, number>; connections: number } | undefined;
    while (performance.now() < until) {
      await delay(SAMPLE_MS);
      samples.push(...sampleProcesses(processesOf(world)));
      if (!first && performance.now() > warmAt)
        first = { tables: await readTables(world), connections: await countConnections(world) };
      if (performance.now() < killAt) continue;
      const victim = world.system.workers.at(-1);
      await victim?.kill();
      await victim?.restart();
      kills += 1;
      killAt = performance.now() + killEveryMs;
      say(
        `${((performance.now() - from) / 60_000).toFixed(1)} min: ${kills} kills, ${JSON.stringify(load.counts)}`,
      );
    }
    const end = performance.now();
    const connections = { first: first?.connections ?? 0, last: await countConnections(world) };
    await load.stop();
    const violations = (await awaitQuiet(world)) ? [] : ['work is left'];
    violations.push(...(await findViolations(world.db)));
    for (const accepted of load.accepted) violations.push(...(await checkAccepted(world, accepted)));
    const tables = [...(await readTables(world))]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, LARGEST)
      .map(([name, lastMb]) => ({ name, firstMb: first?.tables.get(name) ?? 0, lastMb }));
    return {
      growth: growthOf(samples, warmAt, (end - warmAt) / 2),
      quarters: quartersOf(load.scrapes, from, end),
      browserQuarters: hasBrowser ? quartersOf(load.browserScrapes, from, end) : [],
      connections,
      tables,
      counts: load.counts,
      kills,
      violations,
    };
  } finally {
    await world.stop();
    await site.close();
  }
}
