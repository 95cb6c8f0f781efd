import { parseArgs } from 'node:util';
import { awaitBatch, durationMs, startBenchWorld, uploadBatch } from './engine/bench-world.ts';
import { runLoop, startTarget, type Loop } from './engine/child.ts';
import { SCHEMA } from './engine/page.ts';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

const CONCURRENCY = 64;

/** One way of reading the pages; the ratios are against the bare loop of the same run. */
interface Result {
  what: string;
  kb: number;
  pagesPerSecond: number;
  wallRatio: number;
  cpuUs: number;
  beyondUs: number;
  /** CPU by process. */
  parts?: Record<string, number>;
}

function perPage(ms: number, count: number): number {
  return rounded((ms * 1_000) / count, 1);
}

function medianLoop(loops: readonly Loop[]): Loop {
  return {
    wallMs: median(loops.map((loop) => loop.wallMs)),
    cpuMs: median(loops.map((loop) => loop.cpuMs)),
  };
}

interface Ours extends Loop {
  parts: Record<string, number>;
}

/** Batches on one backend, in turns with the bare loop, so that both meet the same machine. */
async function measure(
  backend: 'redis' | 'postgres',
  input: { bytes: number; count: number; rounds: number },
): Promise<{ bare: Loop; ours: Ours }> {
  const { bytes, count, rounds } = input;
  const target = await startTarget(bytes);
  const world = await startBenchWorld(backend);
  try {
    const client = await world.system.client({ credits: 100_000_000, concurrency: CONCURRENCY });
    const parser = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
    const { id } = parser.json as { id: string };
    const urls = (total: number): string[] =>
      Array.from({ length: total }, (_, index) => `${target.origin}/p/${index}`);
    await awaitBatch(client, (await uploadBatch(client, id, urls(1_000))).id);
    const bare: Loop[] = [];
    const ours: Ours[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await runLoop('bare-loop.ts', [target.origin, String(count), String(CONCURRENCY)]));
      const before = world.cpu();
      const batch = await awaitBatch(client, (await uploadBatch(client, id, urls(count))).id, 250);
      const after = world.cpu();
      if (batch.counts.succeeded !== count) throw new Error(JSON.stringify(batch.counts));
      const parts = {
        worker: after.worker - before.worker,
        postgres: after.postgres - before.postgres,
        redis: after.redis - before.redis,
      };
      ours.push({
        wallMs: durationMs(batch),
        cpuMs: parts.worker + parts.postgres + parts.redis,
        parts: Object.fromEntries(Object.entries(parts).map(([name, ms]) => [name, perPage(ms, count)])),
      });
    }
    const middle = medianLoop(ours);
    return {
      bare: medianLoop(bare),
      ours: { ...middle, parts: ours.find((one) => one.cpuMs === middle.cpuMs)?.parts ?? {} },
    };
  } finally {
    await world.stop();
    target.stop();
  }
}

function toResult(what: string, kb: number, count: number, loop: Loop, bare: Loop): Result {
  return {
    what,
    kb,
    pagesPerSecond: Math.round((count / loop.wallMs) * 1_000),
    wallRatio: rounded(loop.wallMs / bare.wallMs, 2),
    cpuUs: perPage(loop.cpuMs, count),
    beyondUs: perPage(loop.cpuMs - bare.cpuMs, count),
  };
}

async function measureBackend(
  backend: 'redis' | 'postgres',
  input: { bytes: number; count: number; rounds: number },
): Promise<Result[]> {
  const { bytes, count } = input;
  const { bare, ours } = await measure(backend, input);
  return [
    toResult('(a) bare loop', bytes / 1_000, count, bare, bare),
    { ...toResult(`batch on ${backend}`, bytes / 1_000, count, ours, bare), parts: ours.parts },
  ];
}

/** A batch of one target against a bare loop on the same pages in the same run. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
      bytes: { type: 'string', default: '10000,100000' },
      backends: { type: 'string', default: 'redis,postgres' },
    },
  });
  const results: Result[] = [];
  for (const bytes of values.bytes.split(',').map(Number)) {
    const count = bytes > 50_000 ? Math.ceil(Number(values.count) / 4) : Number(values.count);
    for (const backend of values.backends.split(',') as ('redis' | 'postgres')[])
      results.push(...(await measureBackend(backend, { bytes, count, rounds: Number(values.rounds) })));
  }
  printTable(results.map(({ parts, ...row }) => ({ ...row, parts: JSON.stringify(parts ?? '') })));
  printResult({
    bench: 'batch',
    bars: { wall10: 1.25, wall100: 1.1, beyondUs: 60 },
    results,
  });
}
