import { beat, HEARTBEAT_MS } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import type { Fetcher } from '@gleaner/fetching';
import type { BlockedHosts } from './blocked-hosts.ts';
import type { WorkerParts } from './worker-parts.ts';

/** Metrics travel with every fifth heartbeat. */
const METRICS_EVERY = 5;

interface HeartbeatDeps extends Pick<WorkerParts, 'config' | 'log' | 'workerId' | 'capacity' | 'metrics'> {
  db: Database;
  fetcher: Pick<Fetcher, 'stats'>;
  blockedHosts: Pick<BlockedHosts, 'count'>;
  /** Why this worker takes no work now. */
  refusal: () => string | null;
}

/** Records again and again that this worker lives, and what it can do. @returns a function that ends it, after the first record */
export async function startHeartbeat(deps: HeartbeatDeps): Promise<() => void> {
  const { config, log, db, workerId, capacity, metrics, fetcher, blockedHosts, refusal } = deps;
  let beats = 0;
  const sendBeat = async (): Promise<void> => {
    beats += 1;
    const { pages, memoryBytes, sandbox } = fetcher.stats().browser;
    if (sandbox !== 'untried') metrics.browserSandbox.set({ state: sandbox }, 1);
    metrics.browserPages.set(pages);
    metrics.browserMemoryBytes.set(memoryBytes);
    metrics.blockedHosts.set(blockedHosts.count());
    const withMetrics =
      beats % METRICS_EVERY === 1 ? { metrics: await metrics.registry.getMetricsAsJSON() } : {};
    await beat(db, { workerId, engines: config.workerQueues, refuses: refusal(), capacity, ...withMetrics });
  };
  const beating = setInterval(() => {
    sendBeat().catch((error: unknown) => log.warn({ err: error }, 'heartbeat failed'));
  }, HEARTBEAT_MS);
  await sendBeat();
  return () => clearInterval(beating);
}
