import {
  beat,
  createAbandonedSweeper,
  createChunkSweeper,
  createExternalDatabases,
  createId,
  createLogger,
  createMetrics,
  createParserCache,
  demandSecretKey,
  endLongReaders,
  endOldRuns,
  HEARTBEAT_MS,
  leave,
  loadProcessConfig,
  exitOnError,
  markWaitingAccounts,
  rebuildHollowIndexes,
  retentionRules,
  rollUpHealth,
  rotatePartitions,
  setQueueLevels,
  startCrons,
  openFileStore,
  startPeriodicTask,
  reportPresence,
  sealStored,
  superviseProcess,
  writeReleased,
  sweepIdempotencyKeys,
  sweepPages,
  sweepHealth,
  sweepQuarantine,
  createRequestSweeper,
  sweepRetention,
  sweepSessions,
} from '@gleaner/core';
import { createDatabase, dropUnusedEngines } from '@gleaner/db';
import { createEgressGuard, guardedAddress, parseEgressAllow } from '@gleaner/fetching/egress';
import { createQueueBackend } from '@gleaner/queue';

/** How long Bull Board shows chunks that ended. */
const SHOWN_MS = 3_600_000;

const config = loadProcessConfig();
const schedulerId = createId('worker');
const log = createLogger('scheduler', config.logLevel);
const metrics = createMetrics(schedulerId);
const db = createDatabase(config.databaseUrl, {
  directUrl: config.directDatabaseUrl,
  max: config.schedulerConnections,
  applicationName: 'gleaner-scheduler',
});
const presence = await reportPresence(db, 'scheduler', log);
await demandSecretKey(db, config, log);
const queue = await createQueueBackend({
  redisUrl: config.redisUrl,
  databaseUrl: config.directDatabaseUrl,
  connections: config.queueConnections,
  applicationName: 'gleaner-scheduler',
  log,
}).catch(exitOnError(log, 'the queue does not respond'));
const services = { db, queue, log };
const egress = createEgressGuard({ allow: parseEgressAllow(config.egressAllow) });
const external = createExternalDatabases({
  secretKey: config.secretKey,
  resolveEgress: async (host, port) => ({ ...(await guardedAddress(egress, host, port)), port }),
});
const parsers = createParserCache(db);
const crons = startCrons({ ...services, config, external, parsers });
const rules = retentionRules(config);

const kept = openFileStore({ db, config });

const duties = [
  startPeriodicTask({ name: 'heartbeat', everyMs: HEARTBEAT_MS, log }, async () =>
    beat(db, {
      workerId: schedulerId,
      engines: [],
      refuses: null,
      metrics: await metrics.registry.getMetricsAsJSON(),
    }),
  ),
  startPeriodicTask({ name: 'lost requests', everyMs: 500, log }, createRequestSweeper(services)),
  startPeriodicTask({ name: 'abandoned requests', everyMs: 3_000, log }, createAbandonedSweeper(services)),
  startPeriodicTask({ name: 'lost chunks', everyMs: 500, log }, createChunkSweeper(services)),
  startPeriodicTask({ name: 'queue levels', everyMs: 1_000, log }, () => setQueueLevels(services)),
  startPeriodicTask({ name: 'waiting accounts', everyMs: 30_000, log }, () => markWaitingAccounts(services)),
  startPeriodicTask({ name: 'partitions', everyMs: 60_000, log }, () => rotatePartitions(services)),
  startPeriodicTask({ name: 'old runs', everyMs: 60_000, log }, () =>
    endOldRuns(services, config.maxRunDays),
  ),
  startPeriodicTask({ name: 'long readers', everyMs: 60_000, log }, () => endLongReaders(db)),
  startPeriodicTask({ name: 'retention', everyMs: 30_000, log }, () => sweepRetention(services, rules)),
  startPeriodicTask({ name: 'hollow indexes', everyMs: 3_600_000, log }, () => rebuildHollowIndexes(db)),
  startPeriodicTask({ name: 'shown chunks', everyMs: 600_000, log }, () => queue.removeShown(SHOWN_MS)),
  startPeriodicTask({ name: 'idempotency keys', everyMs: 600_000, log }, () => sweepIdempotencyKeys(db)),
  startPeriodicTask({ name: 'health', everyMs: 500, log }, () => rollUpHealth(services)),
  startPeriodicTask({ name: 'old health', everyMs: 3_600_000, log }, () => sweepHealth(db)),
  startPeriodicTask({ name: 'released rows', everyMs: 1_000, log }, () =>
    writeReleased({ ...services, external, parsers }),
  ),
  startPeriodicTask({ name: 'old held rows', everyMs: 600_000, log }, () => sweepQuarantine(services)),
  startPeriodicTask({ name: 'expired files', everyMs: 60_000, log }, async () => {
    await Promise.all([sweepPages(db), kept.files.removeExpired(), kept.blobs.removeExpired()]);
  }),
  startPeriodicTask({ name: 'unused functions', everyMs: 600_000, log }, async () => {
    const dropped = await dropUnusedEngines(db);
    if (dropped.length > 0) log.info({ dropped }, 'functions of versions that no process uses were dropped');
  }),
  startPeriodicTask({ name: 'secrets in clear', everyMs: 600_000, log }, async () => {
    const sealed = await sealStored({ db, config });
    if (sealed > 0) log.info({ sealed }, 'headers, cookies and actions that lay in clear were sealed');
  }),
  startPeriodicTask({ name: 'ended sessions', everyMs: 600_000, log }, () => sweepSessions(db)),
];

superviseProcess(log, async () => {
  await Promise.all([crons.stop(), ...duties.map((duty) => duty.stop())]);
  await external.close();
  await leave(db, schedulerId);
  await queue.close();
  await presence.stop();
  await db.close();
});
log.info({ pid: process.pid, queue: queue.kind }, 'scheduler runs');
