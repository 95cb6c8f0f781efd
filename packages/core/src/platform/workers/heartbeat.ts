import { toStorableJson } from '@gleaner/contracts';
import { hostname } from 'node:os';
import type { Database } from '@gleaner/db';
import type { Engine, QueueName } from '@gleaner/queue';

/** A worker without a heartbeat for this long counts as dead. On a busy machine heartbeats come seconds late. */
export const ALIVE_SECONDS = 20;
export const HEARTBEAT_MS = 1_000;

export interface Heartbeat {
  workerId: string;
  engines: readonly Engine[];
  /** Why it refuses work now; absent when it accepts work. */
  refuses: string | null;
  /** Tasks of batches that it runs concurrently, by engine; absent for a process that runs none. */
  capacity?: Partial<Record<Engine, number>>;
  /** prom-client's JSON; sent only with some heartbeats. */
  metrics?: unknown;
}

/** Records that this worker is alive. Call every `HEARTBEAT_MS`. */
export async function beat(db: Database, heartbeat: Heartbeat): Promise<void> {
  const { workerId, engines, refuses, capacity = {}, metrics } = heartbeat;
  await db.sql`
    INSERT INTO gleaner.workers (id, engines, pid, host, refuses, http_capacity, browser_capacity, metrics)
    VALUES (${workerId}, ${[...engines]}, ${process.pid}, ${hostname()}, ${refuses}, ${capacity.http ?? null},
      ${capacity.browser ?? null}, ${metrics === undefined ? null : toStorableJson(metrics)}::jsonb)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), refuses = excluded.refuses,
      metrics = coalesce(excluded.metrics, workers.metrics)`;
}

/** Removes a worker that stops, and workers that died more than an hour ago. */
export async function leave(db: Database, workerId: string): Promise<void> {
  await db.sql`DELETE FROM gleaner.workers WHERE id = ${workerId} OR seen_at < now() - interval '1 hour'`;
}

/** Whether live workers that serve this fetch engine accept work now; undefined when there are none. */
export async function isServed(db: Database, engine: Engine): Promise<boolean | undefined> {
  const [row] = await db.sql<{ served: boolean | null }[]>`
    SELECT bool_or(refuses IS NULL) AS served FROM gleaner.workers
    WHERE ${engine} = ANY(engines) AND seen_at > now() - ${ALIVE_SECONDS} * interval '1 second'`;
  return row?.served ?? undefined;
}

/** Pages that the browsers of all live workers open at once for interactive requests. */
export async function readInteractivePages(db: Database): Promise<number> {
  const [row] = await db.sql<{ pages: number }[]>`
    SELECT coalesce(sum(ceil(browser_capacity / 2.0)), 0)::int AS pages FROM gleaner.workers
    WHERE 'browser' = ANY(engines) AND refuses IS NULL AND seen_at > now() - ${ALIVE_SECONDS} * interval '1 second'`;
  return row?.pages ?? 0;
}

export interface LiveWorker {
  id: string;
  engines: string[];
  pid: number;
  host: string;
  refuses: string | null;
  /** Seconds since it started. */
  age: number;
}

export function listLiveWorkers(db: Database): Promise<LiveWorker[]> {
  return db.sql<LiveWorker[]>`
    SELECT id, engines, pid, host, refuses, extract(epoch FROM now() - started_at)::int AS age FROM gleaner.workers
    WHERE seen_at > now() - ${ALIVE_SECONDS} * interval '1 second' ORDER BY id`;
}

/** Records that a worker consumed a canary of this queue. */
export async function noteCanary(db: Database, queue: QueueName): Promise<void> {
  await db.sql`
    INSERT INTO gleaner.canaries (queue, consumed_at) VALUES (${queue}, now())
    ON CONFLICT (queue) DO UPDATE SET consumed_at = now()`;
}

/** Seconds since a worker last consumed a canary of this queue; null when none ever did. */
export async function canaryAgeSeconds(db: Database, queue: QueueName): Promise<number | null> {
  const [row] = await db.sql<{ age: number }[]>`
    SELECT extract(epoch FROM now() - consumed_at)::float8 AS age FROM gleaner.canaries WHERE queue = ${queue}`;
  return row?.age ?? null;
}
