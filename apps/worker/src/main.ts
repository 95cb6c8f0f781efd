import { availableParallelism } from 'node:os';
import { DEFAULT_PRICES } from '@gleaner/contracts';
import {
  createGuardedDatabases,
  createId,
  createMetrics,
  createParserCache,
  createStorageWatch,
  createWayMemory,
  createWebhookSender,
  exitOnError,
  leave,
  openDatabaseClock,
  openFileStore,
  openProcess,
  openTracer,
  startPeriodicTask,
  superviseProcess,
} from '@gleaner/core';
import { createExtractionPool } from '@gleaner/threads';
import { readMemoryLimit } from '@gleaner/fetching/memory-limit';
import { allowHeapGrowth, batchPoolOptions } from './batch-pool-options.ts';
import { startBatchWork } from './batch-work.ts';
import { defaultBrowserPages } from './browser-pages.ts';
import { openCancellations } from './cancellations.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startInteractiveWork } from './interactive-work.ts';
import { createInteractiveLoad } from './load/interactive-load.ts';
import { openFetching } from './open-fetching.ts';
import { sendMail } from './send-mail.ts';
import { sendWebhook } from './send-webhook.ts';
import { watchRoom } from './watch-room.ts';
import type { WorkerParts } from './worker-parts.ts';

/** How long pages of batches may still take when this process is asked to end. It must end within 8 s. */
const GRACE_MS = 4_000;

// Half serve interactive requests and the heartbeat; the other half is for batches, which may hold all of theirs.
const { config, log, db, openDatabase, presence, queue } = await openProcess(
  'worker',
  ({ workerConnections }) => Math.ceil(workerConnections / 2),
);
const connections = Math.ceil(config.workerConnections / 2);
const batchDb = openDatabase(config.workerConnections - connections);
const workerId = createId('worker');
const metrics = createMetrics(workerId);
const cancellations = await openCancellations({ db, queue }).catch(
  exitOnError(log, 'the database or the queue does not respond'),
);

const limitBytes = readMemoryLimit();
allowHeapGrowth(limitBytes);
const browserPages = config.browserConcurrency ?? defaultBrowserPages(limitBytes, availableParallelism());
const threads = config.extractionThreads ?? Math.max(1, availableParallelism() - 1);
// Separate threads, so that an interactive request never waits for the pages of a batch.
const interactivePool = createExtractionPool({ threads, spareThreads: 2 });
const batchPool = createExtractionPool(batchPoolOptions(config.extractionThreads, limitBytes));
const clock = await openDatabaseClock(db).catch(exitOnError(log, 'the database does not respond'));
const fetching = await openFetching({ config, db, log, metrics, clock }, browserPages);
const { fetcher } = fetching;
const { files, blobs } = openFileStore({ db, config });
const external = createGuardedDatabases(config, fetcher.guard);
const storage = createStorageWatch(batchDb, config);
const tracer = await openTracer({ endpoint: config.otlpEndpoint, service: 'gleaner-worker' });

const ways = createWayMemory(db, log);
const parts: WorkerParts = {
  config,
  queue,
  log,
  workerId,
  capacity: { http: config.httpConcurrency, browser: browserPages },
  metrics,
  cancellations,
  interactiveLoad: createInteractiveLoad(),
  tasks: {
    fetcher,
    sites: config.sites,
    parsers: createParserCache(db),
    files,
    metrics,
    prices: { ...DEFAULT_PRICES, ...config.prices },
    onInternalError: (error) => log.error({ err: error }, 'a task failed with an internal error'),
    ways,
  },
};
const batches = startBatchWork({ ...parts, clock, db: batchDb, blobs, external, pool: batchPool, storage });
const requests = startInteractiveWork({ ...parts, db, connections, pool: interactivePool, tracer });
const room = watchRoom({ log, fetcher, storage, batches, requests });

const sender = createWebhookSender({
  db,
  config,
  log,
  now: () => new Date(),
  send: sendWebhook(fetcher),
  sendMail: config.smtpUrl === undefined ? undefined : sendMail(config.smtpUrl, config.smtpFrom),
});
const webhooks = startPeriodicTask({ name: 'webhooks', everyMs: 500, log }, () => sender.tick());
const endHeartbeat = await startHeartbeat({ ...parts, ...fetching, db, refusal: room.refusal });

superviseProcess(log, async () => {
  batches.drain(GRACE_MS);
  await Promise.all([batches.close(), requests.close()]);
  await Promise.all([webhooks.stop(), room.stop()]);
  await sender.close();
  await ways.close();
  endHeartbeat();
  await leave(db, workerId);
  await fetching.close();
  await Promise.all([interactivePool.close(), batchPool.close()]);
  await tracer.close();
  await cancellations.close();
  await external.close();
  await queue.close();
  await presence.stop();
  await Promise.all([db.close(), batchDb.close()]);
});
log.info({ workerId, pid: process.pid, queues: config.workerQueues, queue: queue.kind }, 'worker ready');
