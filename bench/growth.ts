import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  beat,
  createChunkSweeper,
  createId,
  createLogger,
  createNumbering,
  loadConfig,
  createRunCache,
  createTaskLoader,
  createAccount,
  deliverAdmitted,
  nextRunNumber,
  prepareDatabase,
  startPeriodicTask,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { batchQueue, createQueueBackend } from '@gleaner/queue';
import { startPostgres } from '@gleaner/embedded-postgres';
import { openCancellations } from '../apps/worker/src/cancellations.ts';
import { createChildMakers } from '../apps/worker/src/chunks/child-makers.ts';
import { createChunkConsumer } from '../apps/worker/src/chunks/chunk-consumer.ts';
import { createHeldAnswers } from '../apps/worker/src/chunks/sink-wait.ts';
import { createSlotGate } from '../apps/worker/src/chunks/slot-gate.ts';
import { startRedis } from '../test/processes/redis.ts';
import { createBenchRun } from './engine/bench-run.ts';
import { cpuOf } from './engine/cpu-of.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

/** About 300 bytes of extracted data. */
const ANSWER = JSON.stringify({
  title: 'Blue kettle',
  price: 1234.5,
  tags: ['a', 'b'],
  text: 'x'.repeat(220),
});

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
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  const redis = values.backend === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
  if (redis && 'missing' in redis) throw new Error(redis.missing);
  await prepareDatabase(postgres.url);
  const log = createLogger('bench', 'warn');
  const db = createDatabase(postgres.url, { max: 20 });
  const queue = await createQueueBackend({ redisUrl: redis?.url, databaseUrl: postgres.url, log });
  const cancellations = await openCancellations({ db, queue });
  const workerId = createId('worker');
  await beat(db, { workerId, engines: ['http'], refuses: null });
  const chunks = createChunkConsumer({
    db,
    queue,
    log,
    workerId,
    executor: {
      execute: (spec) =>
        Promise.resolve({
          ok: true,
          answer: ANSWER,
          finalUrl: String(spec.input.url),
          httpStatus: 200,
          fetchedAt: '2026-01-01T00:00:00.000Z',
          bytes: 10_000,
        }),
    },
    runs: createRunCache(db),
    gate: createSlotGate(64),
    shortChunks: () => Infinity,
    cancellations,
    heldAnswers: createHeldAnswers(),
    judge: (_run, _task, outcome) => Promise.resolve(outcome),
    pages: { returnsBody: () => undefined, offer: () => undefined },
    savedPage: () => Promise.reject(new Error('no kept pages here')),
    childMakerOf: createChildMakers(loadConfig({}).sites),
    numbering: createNumbering({ db, queue, log }),
    openSink: () => {
      throw new Error('no sink here');
    },
    count: () => undefined,
  });
  const consumer = queue.consume(batchQueue('http'), chunks.handle, { concurrency: 16 });
  const sweeper = startPeriodicTask(
    { name: 'sweep', everyMs: 500, log },
    createChunkSweeper({ db, queue, log }),
  );
  const { account } = await createAccount(db, {
    name: 'bench',
    credits: 100_000_000,
    concurrency: 64,
    pendingLimit: 2_000_000,
  });

  const cpu = (): number[] => {
    const own = process.cpuUsage();
    return [(own.user + own.system) / 1_000, cpuOf(postgres.pid), redis ? cpuOf(redis.pid()) : 0];
  };
  const runOne = async (size: number) => {
    const no = await nextRunNumber(db);
    const started = performance.now();
    const loader = createTaskLoader(db, no);
    for (let index = 0; index < size; index += 1)
      await loader.add(`https://shop.example/products/${index}?ref=list`);
    await loader.finish();
    const loadedMs = performance.now() - started;
    const before = cpu();
    const ranFrom = performance.now();
    const { admitted } = await createBenchRun(db, { accountId: account.id, kind: 'batch', total: size, no });
    await deliverAdmitted(queue, log, admitted);
    for (;;) {
      const [row] = await db.sql<
        { state: string; chunks: number }[]
      >`SELECT state, next_chunk AS chunks FROM gleaner.runs WHERE no = ${no}`;
      if (row?.state === 'succeeded') {
        const wallMs = performance.now() - ranFrom;
        const after = cpu();
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
    await sweeper.stop();
    await consumer.close();
    await cancellations.close();
    await queue.close();
    await db.close();
    await redis?.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
