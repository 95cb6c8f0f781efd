import { parseArgs } from 'node:util';
import { awaitBatch, startBenchWorld, uploadBatch, type BenchWorld } from './engine/bench-world.ts';
import { startTarget } from './engine/child.ts';
import { SCHEMA } from './engine/page.ts';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

/** How much more CPU than without kept pages, at most. */
const BARS: Readonly<Record<string, number>> = { failed: 1.05, all: 1.25 };
const KINDS = ['none', 'failed', 'all'] as const;

function spent(world: BenchWorld): number {
  const { worker, postgres, redis } = world.cpu();
  return worker + postgres + redis;
}

/** CPU of batches that keep no page, failed pages, and all pages, one after the other in each round. Every page differs. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      backend: { type: 'string', default: 'redis' },
      bytes: { type: 'string', default: '10000' },
      count: { type: 'string', default: '4000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const count = Number(values.count);
  const target = await startTarget(Number(values.bytes), 0, 'distinct');
  const world = await startBenchWorld(values.backend === 'postgres' ? 'postgres' : 'redis');
  try {
    const client = await world.system.client({ credits: 100_000_000, concurrency: 64 });
    const parser = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
    const { id } = parser.json as { id: string };
    const cpu: Record<string, number[]> = {};
    for (let round = -1; round < Number(values.rounds); round += 1) {
      for (const kind of KINDS) {
        const urls = Array.from(
          { length: count },
          (_, index) => `${target.origin}/${round}/${kind}/${index}`,
        );
        const before = spent(world);
        await awaitBatch(client, (await uploadBatch(client, id, urls, { keep_pages: kind })).id, 250);
        if (round >= 0) (cpu[kind] ??= []).push(((spent(world) - before) * 1_000) / count);
      }
    }
    const none = median(cpu['none'] ?? []);
    const rows = KINDS.map((kind) => {
      const each = median(cpu[kind] ?? []);
      return {
        keeps: kind,
        'CPU µs a page': rounded(each, 0),
        ratio: rounded(each / none, 2),
        bar: BARS[kind] ?? '',
      };
    });
    printTable(rows);
    printResult({ bench: 'kept-pages', backend: world.backend, bars: BARS, rows });
  } finally {
    await world.stop();
    target.stop();
  }
}
