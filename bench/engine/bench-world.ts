import { createDatabase, type Database } from '@gleaner/db';
import { startSystem, type Client, type System } from '../../test/system/start-system.ts';
import { cpuOf } from './cpu-of.ts';
import { openServices } from './open-services.ts';

export interface BenchWorld {
  backend: 'redis' | 'postgres';
  system: System;
  db: Database;
  /** CPU in ms so far, by part. */
  cpu: () => Record<'worker' | 'api' | 'scheduler' | 'postgres' | 'redis', number>;
  redisPid: number | undefined;
  redisUrl: string | undefined;
  databaseUrl: string;
  stop: () => Promise<void>;
}

/** The whole system on a durable Postgres of its own, as child processes. */
export async function startBenchWorld(
  backend: 'redis' | 'postgres',
  options: { env?: Record<string, string>; workers?: number } = {},
): Promise<BenchWorld> {
  const services = await openServices(backend);
  const { databaseUrl, redisUrl, redisPid } = services;
  const system = await startSystem({
    databaseUrl,
    redisUrl,
    workers: options.workers ?? 1,
    env: { GLEANER_HTTP_CONCURRENCY: '64', ...options.env },
  });
  const db = createDatabase(databaseUrl, { max: 2 });
  return {
    backend,
    system,
    db,
    redisPid,
    redisUrl,
    databaseUrl,
    cpu: () => ({
      worker: system.workers.reduce((sum, worker) => sum + cpuOf(worker.pid()), 0),
      api: cpuOf(system.api.pid()),
      scheduler: cpuOf(system.scheduler.pid()),
      ...services.cpu(),
    }),
    stop: async () => {
      await db.close();
      await system.stop();
      await services.stop();
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
