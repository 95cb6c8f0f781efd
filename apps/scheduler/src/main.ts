import {
  beat,
  createChunkSweeper,
  createId,
  createLogger,
  createMetrics,
  endLongReaders,
  HEARTBEAT_MS,
  leave,
  loadProcessConfig,
  markWaitingAccounts,
  setQueueLevels,
  orExit,
  removeEndedRequests,
  startDuty,
  superviseProcess,
  rotatePartitions,
  sweepDeliveries,
  sweepIdempotencyKeys,
  sweepRequests,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createQueueBackend } from '@gleaner/queue';

/** How long Bull Board shows chunks that ended. */
const SHOWN_MS = 3_600_000;

const config = loadProcessConfig();
const schedulerId = createId('worker');
const log = createLogger('scheduler', config.logLevel);
const metrics = createMetrics(schedulerId);
const db = createDatabase(config.databaseUrl, { max: 5, applicationName: 'gleaner-scheduler' });
const queue = await createQueueBackend({
  redisUrl: config.redisUrl,
  databaseUrl: config.databaseUrl,
  log,
}).catch(orExit(log, 'the queue does not answer'));
const services = { db, queue, log };

const duties = [
  startDuty({ name: 'heartbeat', everyMs: HEARTBEAT_MS, log }, async () =>
    beat(db, {
      workerId: schedulerId,
      engines: [],
      refuses: null,
      metrics: await metrics.registry.getMetricsAsJSON(),
    }),
  ),
  startDuty({ name: 'lost requests', everyMs: 500, log }, () => sweepRequests(services)),
  startDuty({ name: 'lost chunks', everyMs: 500, log }, createChunkSweeper(services)),
  startDuty({ name: 'queue levels', everyMs: 1_000, log }, () => setQueueLevels(services)),
  startDuty({ name: 'waiting accounts', everyMs: 30_000, log }, () => markWaitingAccounts(services)),
  startDuty({ name: 'partitions', everyMs: 60_000, log }, () => rotatePartitions(services)),
  startDuty({ name: 'long readers', everyMs: 60_000, log }, () => endLongReaders(db)),
  startDuty({ name: 'ended requests', everyMs: 60_000, log }, () => removeEndedRequests(services)),
  startDuty({ name: 'old deliveries', everyMs: 600_000, log }, () => sweepDeliveries(db)),
  startDuty({ name: 'shown chunks', everyMs: 600_000, log }, () => queue.removeShown(SHOWN_MS)),
  startDuty({ name: 'idempotency keys', everyMs: 600_000, log }, () => sweepIdempotencyKeys(db)),
];

superviseProcess(log, async () => {
  await Promise.all(duties.map((duty) => duty.stop()));
  await leave(db, schedulerId);
  await queue.close();
  await db.close();
});
log.info({ pid: process.pid, queue: queue.kind }, 'scheduler runs');
