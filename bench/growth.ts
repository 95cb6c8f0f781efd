import { parseArgs } from 'node:util';
import { createLogger, createTaskLoader, deliverAdmitted, nextRunNumber } from '@gleaner/core';
import { createBenchRun } from './engine/bench-run.ts';
import { madeAnswer, openEngineWorld } from './engine/engine-world.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

/**
 * What the engine itself costs per task, without fetching, as batches grow: load, chunks, results, charge. The
 * worker runs in this process and answers every task at once.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: '1000,10000,100000,1000000' },
      backend: { type: 'string', default: 'redis' },
    },
  });
  const log = createLogger('bench', 'warn');
  const world = await openEngineWorld(values.backend);
  const { db, queue } = world;
  await world.startWorker(64, (url) => Promise.resolve(madeAnswer(url)));
  const accountId = await world.openAccount(64);

  const runOne = async (size: number) => {
    const no = await nextRunNumber(db);
    const started = performance.now();
    const loader = createTaskLoader(db, no);
    for (let index = 0; index < size; index += 1)
      await loader.add(`https://shop.example/products/${index}?ref=list`);
    await loader.finish();
    const loadedMs = performance.now() - started;
    const before = world.cpu();
    const ranFrom = performance.now();
    const { admitted } = await createBenchRun(db, { accountId, kind: 'batch', total: size, no });
    await deliverAdmitted(queue, log, admitted);
    for (;;) {
      const [row] = await db.sql<
        { state: string; chunks: number }[]
      >`SELECT state, next_chunk AS chunks FROM gleaner.runs WHERE no = ${no}`;
      if (row?.state === 'succeeded') {
        const wallMs = performance.now() - ranFrom;
        const after = world.cpu();
        const [own = 0, inPostgres = 0, inRedis = 0] = after.map(
          (ms, part) => ((ms - (before[part] ?? 0)) * 1_000) / size,
        );
        return { size, loadedMs, wallMs, chunks: row.chunks, own, inPostgres, inRedis };
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  try {
    await runOne(5_000);
    const results: Record<string, number>[] = [];
    for (const size of values.sizes.split(',').map(Number)) {
      // Small batches are repeated, so that their CPU can be distinguished from zero.
      const parts: Awaited<ReturnType<typeof runOne>>[] = [];
      for (let done = 0; done < Math.min(20_000, size * 10); done += size) parts.push(await runOne(size));
      const mean = (pick: (part: (typeof parts)[number]) => number): number =>
        parts.reduce((sum, part) => sum + pick(part), 0) / parts.length;
      results.push({
        tasks: size,
        'load ms': rounded(
          mean((part) => part.loadedMs),
          0,
        ),
        'run ms': rounded(
          mean((part) => part.wallMs),
          0,
        ),
        'tasks/s': rounded(size / mean((part) => part.wallMs / 1_000), 0),
        chunks: rounded(
          mean((part) => part.chunks),
          0,
        ),
        'worker µs': rounded(
          mean((part) => part.own),
          1,
        ),
        'Postgres µs': rounded(
          mean((part) => part.inPostgres),
          1,
        ),
        'Redis µs': rounded(
          mean((part) => part.inRedis),
          1,
        ),
        'sum µs': rounded(
          mean((part) => part.own + part.inPostgres + part.inRedis),
          1,
        ),
      });
    }
    printTable(results);
    const sums = results.map((result) => result['sum µs']);
    printResult({
      bench: 'growth',
      bar: 1.3,
      growth: rounded((sums.at(-1) ?? 0) / (sums[0] ?? 1), 2),
      backend: values.backend,
      results,
    });
  } finally {
    await world.close();
  }
}
