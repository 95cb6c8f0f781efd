import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '@gleaner/db';
import { startPostgres } from '@gleaner/embedded-postgres';
import { startRedis } from '../../test/processes/redis.ts';
import { startSystem, type Client, type System } from '../../test/system/start-system.ts';
import { cpuOf } from './cpu-of.ts';

export interface BenchWorld {
  backend: 'redis' | 'postgres';
  system: System;
  db: Database;
  /** CPU in ms so far, by part. */
  cpu: () => Record<'worker' | 'api' | 'scheduler' | 'postgres' | 'redis', number>;
  redisPid: number | undefined;
  redisUrl: string | undefined;
  stop: () => Promise<void>;
}

/** The whole system on a durable Postgres of its own, as child processes. */
export async function startBenchWorld(
  backend: 'redis' | 'postgres',
  options: { env?: Record<string, string>; workers?: number } = {},
): Promise<BenchWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'gleaner-bench-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  const redis = backend === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
  if (redis && 'missing' in redis) throw new Error(redis.missing);
  const system = await startSystem({
    databaseUrl: postgres.url,
    redisUrl: redis?.url,
    workers: options.workers ?? 1,
    env: { GLEANER_HTTP_CONCURRENCY: '64', ...options.env },
  });
  const db = createDatabase(postgres.url, { max: 2 });
  return {
    backend,
    system,
    db,
    redisPid: redis?.pid(),
    redisUrl: redis?.url,
    cpu: () => ({
      worker: system.workers.reduce((sum, worker) => sum + cpuOf(worker.pid()), 0),
      api: cpuOf(system.api.pid()),
      scheduler: cpuOf(system.scheduler.pid()),
      postgres: cpuOf(postgres.pid),
      redis: redis ? cpuOf(redis.pid()) : 0,
    }),
    stop: async () => {
      await db.close();
      await system.stop();
      await redis?.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface BatchRecord {
  id: string;
  status: string;
  counts: Record<'total' | 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled', number>;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** Sends a batch as NDJSON. */
export async function uploadBatch(
  client: Client,
  parserId: string,
  urls: Iterable<string>,
  fields: Record<string, string> = {},
): Promise<BatchRecord> {
  const form = new FormData();
  form.append('target', JSON.stringify({ type: 'parser', parserId }));
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(
    'file',
    new Blob([Array.from(urls).join('\n')], { type: 'application/x-ndjson' }),
    'urls.ndjson',
  );
  const answer = await client.call('POST', '/v1/batches', form);
  if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.json as BatchRecord;
}

export async function readBatch(client: Client, id: string): Promise<BatchRecord> {
  return (await client.call('GET', `/v1/batches/${id}`)).json as BatchRecord;
}

export async function awaitBatch(client: Client, id: string, pollMs = 100): Promise<BatchRecord> {
  for (;;) {
    const batch = await readBatch(client, id);
    if (batch.finished_at !== null) return batch;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** A workflow run or a crawl that has ended. */
export async function awaitWorkflowRun(client: Client, id: string, pollMs = 100): Promise<BatchRecord> {
  for (;;) {
    const run = (await client.call('GET', `/v1/workflow-runs/${id}`)).json as BatchRecord;
    if (run.finished_at !== null) return run;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

export function durationMs(batch: BatchRecord): number {
  return Date.parse(batch.finished_at ?? '') - Date.parse(batch.created_at);
}
