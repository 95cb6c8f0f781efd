import {
  beat,
  createGuardedDatabases,
  createId,
  createMetrics,
  createParserCache,
  HEARTBEAT_MS,
  leave,
  openProcess,
  startCrons,
  startLeading,
  startPeriodicTask,
  superviseProcess,
} from '@gleaner/core';
import { createEgressGuard, parseEgressAllow } from '@gleaner/fetching/egress';
import { listDuties } from './duties.ts';

const { config, log, db, openDatabase, presence, queue } = await openProcess(
  'scheduler',
  ({ schedulerConnections }) => schedulerConnections,
);
const schedulerId = createId('worker');
const metrics = createMetrics(schedulerId);
const watchDb = openDatabase(1, config.directDatabaseUrl);
const egress = createEgressGuard({ allow: parseEgressAllow(config.egressAllow) });
const external = createGuardedDatabases(config, egress);
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
