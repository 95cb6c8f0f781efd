import {
  beat,
  createExternalDatabases,
  createId,
  createLogger,
  createMetrics,
  createParserCache,
  demandSecretKey,
  exitOnError,
  HEARTBEAT_MS,
  leave,
  loadProcessConfig,
  reportPresence,
  startCrons,
  startLeading,
  startPeriodicTask,
  superviseProcess,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createEgressGuard, guardedAddress, parseEgressAllow } from '@gleaner/fetching/egress';
import { createQueueBackend } from '@gleaner/queue';
import { listDuties } from './duties.ts';

const config = loadProcessConfig();
const schedulerId = createId('worker');
const log = createLogger('scheduler', config.logLevel);
const metrics = createMetrics(schedulerId);
const db = createDatabase(config.databaseUrl, {
  directUrl: config.directDatabaseUrl,
  max: config.schedulerConnections,
  applicationName: 'gleaner-scheduler',
});
const watchDb = createDatabase(config.directDatabaseUrl, { max: 1, applicationName: 'gleaner-scheduler' });
const presence = await reportPresence(db, 'scheduler', log);
await demandSecretKey(db, config, log);
const queue = await createQueueBackend({
  redisUrl: config.redisUrl,
  databaseUrl: config.directDatabaseUrl,
  connections: config.queueConnections,
  applicationName: 'gleaner-scheduler',
  log,
}).catch(exitOnError(log, 'the queue does not respond'));
const egress = createEgressGuard({ allow: parseEgressAllow(config.egressAllow) });
const external = createExternalDatabases({
  secretKey: config.secretKey,
  resolveEgress: async (host, port) => ({ ...(await guardedAddress(egress, host, port)), port }),
});
const services = { db, queue, log, config, external, parsers: createParserCache(db) };
const crons = startCrons(services);
const leader = startLeading(db, log);
function onReaderEnded(reason: string): void {
  metrics.readersEnded.inc({ reason });
}
const duties = [
  startPeriodicTask({ name: 'heartbeat', everyMs: HEARTBEAT_MS, log }, async () =>
    beat(db, {
      workerId: schedulerId,
      engines: [],
      refuses: null,
      metrics: await metrics.registry.getMetricsAsJSON(),
    }),
  ),
  ...listDuties({ ...services, watchDb, onReaderEnded }).map(({ name, everyMs, run }) =>
    startPeriodicTask(
      { name, everyMs, log, onFailure: () => metrics.dutyFailures.inc({ duty: name }) },
      async () => {
        if (await leader.leads()) await run();
      },
    ),
  ),
];

superviseProcess(log, async () => {
  await leader.stop();
  await Promise.all([crons.stop(), ...duties.map((duty) => duty.stop())]);
  await external.close();
  await leave(db, schedulerId);
  await queue.close();
  await presence.stop();
  await Promise.all([watchDb.close(), db.close()]);
});
log.info({ pid: process.pid, queue: queue.kind }, 'scheduler runs');
