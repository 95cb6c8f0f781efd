import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createAccount,
  createEnder,
  createId,
  createLogger,
  createStarter,
  finishChunk,
  openInteractive,
  prepareDatabase,
  startChunk,
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
/** Pages of one chunk, as a batch of fast pages has them. */
const CHUNK_TASKS = 500;
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

  async function runOne(accountId: string, kind: 'job' | 'batch', total: number): Promise<void> {
    const { no } = await createBenchRun(db, {
      accountId,
      kind,
      total,
      inputs: Array.from({ length: total }, (_, index) => `https://shop.example/${index}`),
    });
    for (let number = 0, done = 0; done < total; number += 1) {
      const chunk = await startChunk({ db }, { run: no, chunk: number, attempt: 1 }, 'wrk_bench');
      if (!chunk) throw new Error(`chunk ${number} of ${no} was not admitted`);
      const outcomes = {
        succeeded: chunk.seqs,
        answers: chunk.seqs.map(() => ANSWER),
        failed: [],
        errors: [],
      };
      await finishChunk(chunk, outcomes, { retries: [], left: [], busyMs: chunk.seqs.length }, db.sql);
      done += chunk.seqs.length;
    }
  }
  const works: Record<string, { units: number; once: (accountId: string) => Promise<void> }> = {
    jobs: { units: 1, once: (accountId) => runOne(accountId, 'job', 1) },
    tasks: { units: CHUNK_TASKS, once: (accountId) => runOne(accountId, 'batch', CHUNK_TASKS) },
    scrapes: {
      units: 1,
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
      },
    },
  };

  async function measure(work: string, clients: number): Promise<Measured> {
    const { units = 1, once } = works[work] ?? {};
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
    let done = 0;
    const loops = Array.from({ length: clients }, async (_, index) => {
      while (performance.now() < until) {
        await once(accounts[index % ACCOUNTS] ?? '');
        done += units;
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
