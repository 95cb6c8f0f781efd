import { availableParallelism } from 'node:os';
import {
  beat,
  createId,
  createLogger,
  createMetrics,
  createParserCache,
  deliverDueWebhooks,
  HEARTBEAT_MS,
  leave,
  loadProcessConfig,
  noteCanary,
  startDuty,
  superviseProcess,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createExtractionPool } from '@gleaner/extractors/pool';
import { createQueueBackend, interactiveQueue, type Handler, type QueueName } from '@gleaner/queue';
import { openCancellations } from './cancellations.ts';
import { createFetcher } from './fetch/index.ts';
import { toFetchMetrics } from './fetch-metrics.ts';
import { toFetchSettings } from './fetch-settings.ts';
import { handleRequest, type RequestHandlerDeps } from './requests/handle-request.ts';
import { sendWebhook } from './send-webhook.ts';
import { createTaskExecutor } from './tasks/execute-task.ts';

/** Metrics travel with every fifth heartbeat. */
const METRICS_EVERY = 5;

const config = loadProcessConfig();
const workerId = createId('worker');
const log = createLogger('worker', config.logLevel);
const metrics = createMetrics(workerId);
const db = createDatabase(config.databaseUrl, { max: 20, applicationName: 'gleaner-worker' });
const queue = await createQueueBackend({ redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, log });
const cancellations = await openCancellations(db);
const pool = createExtractionPool({
  threads: config.extractionThreads ?? Math.max(1, availableParallelism() - 1),
});
const fetcher = await createFetcher(toFetchSettings(config), { log, metrics: toFetchMetrics(metrics) });
const executor = createTaskExecutor({
  fetcher,
  pool,
  sites: config.sites,
  parsers: createParserCache(db),
  metrics,
  onInternalError: (error) => log.error({ err: error }, 'a task failed through our own fault'),
});
const requestDeps: RequestHandlerDeps = { db, queue, log, workerId, executor, cancellations, metrics };

const interactive =
  (name: QueueName): Handler =>
  async (payload) => {
    if (payload.kind === 'canary') await noteCanary(db, name);
    if (payload.kind === 'request') await handleRequest(requestDeps, payload);
  };

const consumers = config.workerQueues.map((engine) => {
  const name = interactiveQueue(engine);
  const concurrency =
    engine === 'http' ? config.httpConcurrency : Math.max(1, Math.ceil(config.browserConcurrency / 2));
  return queue.consume(name, interactive(name), { concurrency });
});

const webhooks = startDuty({ name: 'webhooks', everyMs: 500, log }, () =>
  deliverDueWebhooks({ db, config, log, now: () => new Date(), send: sendWebhook(fetcher) }),
);

let beats = 0;
const sendBeat = async (): Promise<void> => {
  beats += 1;
  const withMetrics =
    beats % METRICS_EVERY === 1 ? { metrics: await metrics.registry.getMetricsAsJSON() } : {};
  await beat(db, { workerId, engines: config.workerQueues, refuses: null, ...withMetrics });
};
const heartbeat = setInterval(() => {
  sendBeat().catch((error: unknown) => log.warn({ err: error }, 'heartbeat failed'));
}, HEARTBEAT_MS);
await sendBeat();

superviseProcess(log, async () => {
  await Promise.all(consumers.map((consumer) => consumer.close()));
  await webhooks.stop();
  clearInterval(heartbeat);
  await leave(db, workerId);
  await fetcher.close();
  await pool.close();
  await cancellations.close();
  await queue.close();
  await db.close();
});
log.info({ workerId, pid: process.pid, queues: config.workerQueues, queue: queue.kind }, 'worker takes work');
