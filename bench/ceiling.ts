import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createAccount,
  createChunkWriter,
  createEnder,
  createId,
  createLogger,
  createStarter,
  openInteractive,
  prepareDatabase,
  takeChunks,
  type FreedSlots,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { startPostgres } from '@gleaner/embedded-postgres';
import { createQueueBackend } from '@gleaner/queue';
import { startRedis } from '../test/processes/redis.ts';
import { createBenchRun } from './engine/bench-run.ts';
import { cpuOf } from './engine/cpu-of.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

const CLIENTS = [1, 4, 16, 64];
const ACCOUNTS = 64;
/** Pages of a batch, which are so fast that two chunks have them. */
const BATCH_TASKS = 500;
const ANSWER = JSON.stringify({ title: 'Blue kettle', price: 1234.5, text: 'x'.repeat(220) });

interface Measured {
  work: string;
  clients: number;
  perSecond: number;
  postgresCores: number;
  clientCores: number;
  walKbEach: number;
  waits: string;
}

/**
 * Where one Postgres flattens: jobs, tasks of batches and interactive requests without fetching, by the number of
 * concurrent clients, with what Postgres's sessions wait for meanwhile. The client is this process, on one core.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: '4' } } });
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  const redis = await startRedis();
  if ('missing' in redis) throw new Error(redis.missing);
  await prepareDatabase(postgres.url);
  const log = createLogger('bench', 'warn');
  const db = createDatabase(postgres.url, { max: 64 });
  const watcher = createDatabase(postgres.url, { max: 1, applicationName: 'watcher' });
  const queue = await createQueueBackend({ redisUrl: redis.url, databaseUrl: postgres.url, log });
  const services = { db, queue, log };
  const interactive = await openInteractive(services);
  const starter = createStarter(services, 'wrk_bench');
  const ender = createEnder(services);
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (_, index) => {
      const limits = { credits: 1_000_000_000, concurrency: 1_000, pendingLimit: 1_000_000_000 };
      return (await createAccount(db, { name: `bench ${index}`, ...limits })).account.id;
    }),
  );

  const writer = createChunkWriter(services, 'wrk_bench');
  /** Like a worker of so many clients: whatever one of them takes belongs to the batch that was served least. */
  let freed: FreedSlots[] = [];
  async function runOne(accountId: string, kind: 'job' | 'batch', total: number): Promise<void> {
    const inputs = Array.from({ length: total }, (_, index) => `https://shop.example/${index}`);
    await createBenchRun(db, { accountId, kind, total, inputs });
    for (let left = total; left > 0;) {
      const given = freed;
      freed = [];
      const { chunks, missed } = await takeChunks(services, {
        queue: 'batch-http',
        workerId: 'wrk_bench',
        slots: 8,
        freed: given,
      });
      freed.push(...given.filter(({ account }) => missed.includes(account)));
      // Others took what this client submitted, and it took what they did.
      if (chunks.length === 0) return;
      for (const chunk of chunks) left -= chunk.seqs.length;
      await Promise.all(
        chunks.map(async (chunk) => {
          const { seqs } = chunk;
          const outcomes = { succeeded: seqs, answers: seqs.map(() => ANSWER), failed: [], errors: [] };
          await writer.end(chunk, outcomes, { retries: [], left: [], busyMs: seqs.length });
          freed.push({ account: chunk.accountId, ms: seqs.length - chunk.charge, isMore: false });
          ended += seqs.length;
        }),
      );
    }
  }
  /** Inputs of runs that ended. */
  let ended = 0;
  const works: Record<string, { once: (accountId: string) => Promise<void> }> = {
    jobs: { once: (accountId) => runOne(accountId, 'job', 1) },
    tasks: { once: (accountId) => runOne(accountId, 'batch', BATCH_TASKS) },
    scrapes: {
      once: async (accountId) => {
        const id = createId('request');
        await interactive.submitter.call({
          id,
          accountId,
          kind: 'task',
          queue: 'interactive-http',
          price: 1,
          timeoutMs: 60_000,
          spec: { target: { type: 'api', id: 'none' }, input: { url: 'http://a.test/' }, config: {} },
        });
        await starter.call({ id, attempt: 1 });
        await ender.call({ id, accountId, attempt: 1, end: { state: 'succeeded', answer: ANSWER } });
        ended += 1;
      },
    },
  };

  async function measure(work: string, clients: number): Promise<Measured> {
    const { once } = works[work] ?? {};
    if (!once) throw new Error(`no work ${work}`);
    const readWal = async (): Promise<number> => {
      const [row] = await watcher.sql<{ bytes: string }[]>`SELECT wal_bytes::text AS bytes FROM pg_stat_wal`;
      return Number(row?.bytes);
    };
    const [cpu, own, wal, from] = [
      cpuOf(postgres.pid),
      process.cpuUsage(),
      await readWal(),
      performance.now(),
    ];
    const until = from + Number(values.seconds) * 1_000;
    const before = ended;
    const loops = Array.from({ length: clients }, async (_, index) => {
      while (performance.now() < until) {
        await once(accounts[index % ACCOUNTS] ?? '');
      }
    });
    const waits = new Map<string, number>();
    while (performance.now() < until) {
      const rows = await watcher.sql<{ wait: string }[]>`
        SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU') AS wait FROM pg_stat_activity
        WHERE state = 'active' AND application_name = 'gleaner'`;
      for (const { wait } of rows) waits.set(wait, (waits.get(wait) ?? 0) + 1);
      await delay(50);
    }
    await Promise.all(loops);
    const done = ended - before;
    const seconds = (performance.now() - from) / 1_000;
    const used = process.cpuUsage(own);
    const sampled = [...waits.values()].reduce((sum, count) => sum + count, 0);
    return {
      work,
      clients,
      perSecond: Math.round(done / seconds),
      postgresCores: rounded((cpuOf(postgres.pid) - cpu) / 1_000 / seconds),
      clientCores: rounded((used.user + used.system) / 1_000_000 / seconds),
      walKbEach: rounded(((await readWal()) - wal) / 1_024 / done),
      waits: [...waits]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, 3)
        .map(([name, count]) => `${name} ${Math.round((100 * count) / sampled)} %`)
        .join(', '),
    };
  }

  const results: Measured[] = [];
  for (const work of Object.keys(works))
    for (const clients of CLIENTS) results.push(await measure(work, clients));
  printTable(results.map((result) => ({ ...result })));
  printResult({ results });
  await interactive.close();
  await queue.close();
  await Promise.all([db.close(), watcher.close()]);
  await redis.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
