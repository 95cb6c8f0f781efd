import { parseArgs } from 'node:util';
import { startBenchWorld, type BenchWorld } from './engine/bench-world.ts';
import { startServer, startTarget } from './engine/child.ts';
import { cpuOf } from './engine/cpu-of.ts';
import { SCHEMA } from './engine/page.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';
import { measureLoad, type Caller, type Load } from './scrape/load.ts';

interface Shape {
  clients: number;
  accounts: number;
}

const SHAPES: readonly Shape[] = [
  { clients: 1, accounts: 1 },
  { clients: 32, accounts: 1 },
  { clients: 32, accounts: 32 },
  { clients: 128, accounts: 1 },
];

/** Each shape is measured so often, the bare server and Gleaner in turn. The worst round counts. */
const ROUNDS = 3;
const WARM_UP_SECONDS = 10;
/** Least share of the bare server's answers a second; no bar where it is missing. */
const RATE_BARS: Readonly<Record<BenchWorld['backend'], Readonly<Record<number, number>>>> = {
  redis: { 32: 0.3, 128: 0.45 },
  postgres: { 32: 0.25, 128: 0.25 },
};
/** In multiples of the bare server's. */
const CPU_BAR = 4;
const P50_BAR = 10;

interface Round {
  bare: Load;
  ours: Load;
  /** CPU in ms a scrape, by part. */
  parts: Record<string, number>;
}

async function openCallers(world: BenchWorld, url: string, count: number): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let index = 0; index < count; index += 1) {
    const client = await world.system.client({
      credits: 100_000_000,
      concurrency: 500,
      requestsPerMinute: 10_000_000,
    });
    const { json } = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
    const path = `/v1/scrape/${(json as { id: string }).id}?url=${encodeURIComponent(url)}`;
    callers.push({ path, key: client.apiKey });
  }
  return callers;
}

/** What of the bars was missed, in words. */
function judge(backend: BenchWorld['backend'], { clients }: Shape, rounds: readonly Round[]): string {
  const rateBar = RATE_BARS[backend][clients];
  const failures = rounds.reduce((sum, { ours }) => sum + ours.failures, 0);
  const misses = [
    failures > 0 ? `${failures} failed` : '',
    rateBar !== undefined && lowestRate(rounds) < rateBar ? `rate below ${rateBar} ×` : '',
    clients > 1 && highest(rounds, ({ cpuMs }) => cpuMs) > CPU_BAR ? `CPU above ${CPU_BAR} ×` : '',
    clients === 1 && highest(rounds, ({ p50Ms }) => p50Ms) > P50_BAR ? `p50 above ${P50_BAR} ×` : '',
  ];
  return misses.filter(Boolean).join(', ') || 'met';
}

function lowestRate(rounds: readonly Round[]): number {
  return Math.min(...rounds.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
}

function highest(rounds: readonly Round[], read: (load: Load) => number): number {
  return Math.max(...rounds.map(({ ours, bare }) => read(ours) / read(bare)));
}

function all(rounds: readonly Round[], read: (round: Round) => number): string {
  return rounds.map((round) => String(read(round))).join(' ');
}

/** Mean of each member over the rounds. */
function means(records: readonly Readonly<Record<string, number>>[]): string {
  const names = Object.keys(records[0] ?? {});
  const mean = (name: string): number =>
    rounded(records.reduce((sum, record) => sum + (record[name] ?? 0), 0) / records.length, 2);
  return names.map((name) => `${name} ${mean(name)}`).join(', ');
}

async function measureRound(
  world: BenchWorld,
  bare: { origin: string; pid: number; caller: Caller },
  callers: readonly Caller[],
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Round> {
  const base = await measureLoad(bare.origin, [bare.caller], {
    clients,
    seconds,
    cpu: () => cpuOf(bare.pid),
  });
  let before = world.cpu();
  let after = before;
  const ours = await measureLoad(world.system.baseUrl, callers, {
    clients,
    seconds,
    cpu: () => {
      [before, after] = [after, world.cpu()];
      return Object.values(after).reduce((sum, part) => sum + part, 0);
    },
  });
  const scrapes = ours.perSecond * seconds;
  const parts = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, (ms - before[name as keyof typeof before]) / scrapes]),
  );
  return { bare: base, ours, parts };
}

async function measureBackend(
  backend: BenchWorld['backend'],
  target: { origin: string },
  bare: { origin: string; pid: number },
  options: { seconds: number; shapes: readonly Shape[] },
) {
  const world = await startBenchWorld(backend, { env: { GLEANER_HTTP_CONCURRENCY: '128' } });
  const url = `${target.origin}/page`;
  try {
    const callers = await openCallers(world, url, 32);
    const caller = { path: `/v1/scrape?url=${encodeURIComponent(url)}`, key: 'bare' };
    // New processes are twice as slow until their code is compiled; the bare server has answered before.
    await measureRound(world, { ...bare, caller }, callers, { clients: 32, seconds: WARM_UP_SECONDS });
    const rows = [];
    for (const shape of options.shapes) {
      const { clients, accounts } = shape;
      const rounds: Round[] = [];
      while (rounds.length < ROUNDS) {
        const load = { clients, seconds: options.seconds };
        rounds.push(await measureRound(world, { ...bare, caller }, callers.slice(0, accounts), load));
      }
      process.stderr.write(
        `${backend}, ${clients} clients of ${accounts}: CPU ms a scrape: ${means(rounds.map(({ parts }) => parts))}\n`,
      );
      rows.push({
        backend,
        clients,
        accounts,
        'bare/s': all(rounds, (round) => round.bare.perSecond),
        'scrapes/s': all(rounds, ({ ours }) => ours.perSecond),
        'lowest ratio': rounded(lowestRate(rounds), 3),
        'bare p50': all(rounds, (round) => round.bare.p50Ms),
        p50: all(rounds, ({ ours }) => ours.p50Ms),
        'p50 ratio': rounded(
          highest(rounds, ({ p50Ms }) => p50Ms),
          1,
        ),
        p99: all(rounds, ({ ours }) => ours.p99Ms),
        'CPU ms': all(rounds, ({ ours }) => ours.cpuMs),
        'CPU ratio': rounded(
          highest(rounds, ({ cpuMs }) => cpuMs),
          1,
        ),
        bars: judge(backend, shape, rounds),
      });
    }
    return rows;
  } finally {
    await world.stop();
  }
}

/**
 * Scrapes against a bare Fastify server that does the same fetch and extraction in its own process, at 1, 32 and 128
 * clients, of one account and of many. The two take turns, three rounds, and the worst round counts: a disturbed machine
 * slows the bare server and flatters the ratio, so its rate is printed.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      backend: { type: 'string' },
      seconds: { type: 'string', default: '4' },
      /** Only the shapes with this number of clients. */
      clients: { type: 'string' },
    },
  });
  const backends = (['redis', 'postgres'] as const).filter(
    (name) => values.backend === undefined || name === values.backend,
  );
  const shapes = SHAPES.filter(
    ({ clients }) => values.clients === undefined || clients === Number(values.clients),
  );
  const target = await startTarget(10_000);
  const bare = await startServer('../scrape/bare-server.ts', [target.origin]);
  try {
    const rows = [];
    for (const backend of backends) {
      rows.push(
        ...(await measureBackend(backend, target, bare, { seconds: Number(values.seconds), shapes })),
      );
    }
    printTable(rows);
    printResult({ bench: 'scrape', bars: { rate: RATE_BARS, cpu: CPU_BAR, p50: P50_BAR }, rows });
  } finally {
    bare.stop();
    target.stop();
  }
}
