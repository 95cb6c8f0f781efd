import { ENGINES } from '@gleaner/contracts';
import { QUEUES } from '@gleaner/queue';
import { AggregatorRegistry, Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Services } from '../context.ts';
import { ALIVE_SECONDS } from '../workers/heartbeat.ts';
import { addGauge, type Metrics } from './metrics.ts';
import {
  databaseSessions,
  diskSpace,
  queueAge,
  retentionLag,
  webhookBacklog,
  type LevelServices,
} from './read-levels.ts';

type Exported = MetricObjectWithValues<MetricValue<string>>[];

interface MetricServices extends Pick<Services, 'db' | 'queue' | 'log'>, LevelServices {
  metrics: Metrics;
}

async function credits({ db }: MetricServices, registry: Registry): Promise<void> {
  const [row] = await db.sql<Record<'granted' | 'balance' | 'reserved' | 'used', string>[]>`
    SELECT coalesce(sum(granted), 0) AS granted, coalesce(sum(balance), 0) AS balance,
      coalesce(sum(reserved), 0) AS reserved, coalesce(sum(used), 0) AS used FROM gleaner.accounts`;
  const sums = Object.entries(row ?? {}).map(([kind, value]) => [{ kind }, Number(value)] as const);
  addGauge(registry, 'gleaner_credits', 'Credits of all accounts.', sums);
}

async function queueDepth({ queue }: MetricServices, registry: Registry): Promise<void> {
  const counts = await Promise.all(
    QUEUES.map(async (name) =>
      Object.entries(await queue.counts(name)).map(
        ([state, count]) => [{ queue: name, state }, count] as const,
      ),
    ),
  );
  addGauge(registry, 'gleaner_queue_jobs', 'Jobs in BullMQ.', counts.flat());
}

async function processes(
  { db }: MetricServices,
  registry: Registry,
  pids: Readonly<Record<string, number>>,
): Promise<Exported[]> {
  const rows = await db.sql<
    { id: string; engines: string[]; refuses: string | null; metrics: Exported | null }[]
  >`
    SELECT id, engines, refuses, metrics FROM gleaner.workers WHERE seen_at > now() - ${ALIVE_SECONDS} * interval '1 second'`;
  // A scheduler beats too, for its metrics: it serves no engine.
  const workers = rows.filter(({ engines }) => engines.length > 0);
  addGauge(
    registry,
    'gleaner_process_pid',
    'Process ids of this machine’s processes.',
    Object.entries(pids).map(([name, pid]) => [{ process: name }, pid]),
  );
  addGauge(
    registry,
    'gleaner_worker_admission',
    '1 when the worker accepts work, 0 when it refuses.',
    workers.map(({ id, refuses }) => [{ process: id }, refuses === null ? 1 : 0]),
  );
  addGauge(
    registry,
    'gleaner_workers',
    'Live workers that serve a fetch engine.',
    ENGINES.map((engine) => [{ engine }, workers.filter(({ engines }) => engines.includes(engine)).length]),
  );
  addGauge(registry, 'gleaner_schedulers', 'Live schedulers.', rows.length - workers.length);
  return rows.map((row) => row.metrics).filter((metrics) => metrics !== null);
}

/** Prometheus text of all processes. A part that can't be read is omitted and logged. */
export async function collectMetrics(
  services: MetricServices,
  pids: Readonly<Record<string, number>>,
): Promise<{ contentType: string; text: string }> {
  const shared = new Registry();
  const others: Exported[] = [];
  const parts = await Promise.allSettled([
    credits(services, shared),
    queueDepth(services, shared),
    queueAge(services, shared),
    webhookBacklog(services, shared),
    databaseSessions(services, shared),
    retentionLag(services, shared),
    diskSpace(services, shared),
    processes(services, shared, pids).then((exported) => others.push(...exported)),
  ]);
  for (const part of parts) {
    if (part.status === 'rejected')
      services.log.warn({ err: part.reason }, 'a part of the metrics could not be read');
  }
  const own = [
    await services.metrics.registry.getMetricsAsJSON(),
    await shared.getMetricsAsJSON(),
  ] as Exported[];
  const merged = AggregatorRegistry.aggregate([...own, ...others]);
  return { contentType: merged.contentType, text: await merged.metrics() };
}
