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

/** Least share of the bare server's answers a second; no bar where it is missing. */
const RATE_BARS: Readonly<Record<BenchWorld['backend'], Readonly<Record<number, number>>>> = {
  redis: { 32: 0.2, 128: 0.35 },
  postgres: { 32: 0.1 },
};
const CPU_BAR_MS = 2;
const ADDED_P50_BAR_MS = 4;
const P99_BAR = 10;

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
function judge(backend: BenchWorld['backend'], { clients }: Shape, ours: Load, bare: Load): string {
  const rateBar = RATE_BARS[backend][clients];
  const misses = [
    ours.failures > 0 ? `${ours.failures} failed` : '',
    rateBar !== undefined && ours.perSecond < rateBar * bare.perSecond ? `rate below ${rateBar} ×` : '',
    ours.cpuMs > CPU_BAR_MS ? `CPU above ${CPU_BAR_MS} ms` : '',
    clients === 1 && ours.p50Ms - bare.p50Ms > ADDED_P50_BAR_MS ? `p50 above +${ADDED_P50_BAR_MS} ms` : '',
    clients === 32 && ours.p99Ms > P99_BAR * bare.p99Ms ? `p99 above ${P99_BAR} ×` : '',
  ];
  return misses.filter(Boolean).join(', ') || 'met';
}

async function measureBackend(
  backend: BenchWorld['backend'],
  target: { origin: string },
  bare: { origin: string; pid: number },
  seconds: number,
) {
  const world = await startBenchWorld(backend, { env: { GLEANER_HTTP_CONCURRENCY: '128' } });
  const url = `${target.origin}/page`;
  try {
    const callers = await openCallers(world, url, 32);
    const bareCaller = { path: `/v1/scrape?url=${encodeURIComponent(url)}`, key: 'bare' };
    const rows = [];
    for (const shape of SHAPES) {
      const { clients, accounts } = shape;
      const base = await measureLoad(bare.origin, [bareCaller], {
        clients,
        seconds: seconds / 2,
        cpu: () => cpuOf(bare.pid),
      });
      const before = world.cpu();
      const ours = await measureLoad(world.system.baseUrl, callers.slice(0, accounts), {
        clients,
        seconds,
        cpu: () => Object.values(world.cpu()).reduce((sum, part) => sum + part, 0),
      });
      const after = world.cpu();
      const parts = Object.entries(after).map(
        ([name, ms]) => `${name} ${Math.round(ms - before[name as keyof typeof before])}`,
      );
      process.stderr.write(`${backend} ${clients} clients: CPU ms in all: ${parts.join(', ')}\n`);
      rows.push({
        backend,
        clients,
        accounts,
        'bare/s': base.perSecond,
        'scrapes/s': ours.perSecond,
        ratio: rounded(ours.perSecond / base.perSecond, 3),
        'bare p50': base.p50Ms,
        p50: ours.p50Ms,
        'bare p99': base.p99Ms,
        p99: ours.p99Ms,
        'CPU ms': ours.cpuMs,
        'bare CPU ms': base.cpuMs,
        bars: judge(backend, shape, ours, base),
      });
    }
    return rows;
  } finally {
    await world.stop();
  }
}

/**
 * Scrapes against a bare Fastify server that does the same fetch and extraction in its own process, at 1, 32 and 128
 * clients, of one account and of many.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { backend: { type: 'string' }, seconds: { type: 'string', default: '8' } },
  });
  const backends = (['redis', 'postgres'] as const).filter(
    (name) => values.backend === undefined || name === values.backend,
  );
  const target = await startTarget(10_000);
  const bare = await startServer('../scrape/bare-server.ts', [target.origin]);
  try {
    const rows = [];
    for (const backend of backends) {
      rows.push(...(await measureBackend(backend, target, bare, Number(values.seconds))));
    }
    printTable(rows);
    printResult({
      bench: 'scrape',
      bars: { rate: RATE_BARS, cpuMs: CPU_BAR_MS, addedP50Ms: ADDED_P50_BAR_MS, p99: P99_BAR },
      rows,
    });
  } finally {
    bare.stop();
    target.stop();
  }
}
