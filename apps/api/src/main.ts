import { availableParallelism } from 'node:os';
import {
  createExternalDatabases,
  createFairShare,
  createLogger,
  createMetrics,
  createOpenStreams,
  createCurrentParsers,
  createKeyRing,
  createRunWatches,
  createParserCache,
  demandSecretKey,
  loadProcessConfig,
  exitOnError,
  openFileStore,
  openInteractive,
  openRateLimiter,
  reportPresence,
  openTracer,
  superviseProcess,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createEgressGuard, guardedAddress, parseEgressAllow } from '@gleaner/fetching/egress';
import { createPageResources } from '@gleaner/fetching/page-resources';
import { createExtractionPool } from '@gleaner/extractors/pool';
import { createQueueBackend } from '@gleaner/queue';
import { buildServer } from './server.ts';

const config = loadProcessConfig();
const log = createLogger('api', config.logLevel);
const db = createDatabase(config.databaseUrl, {
  directUrl: config.directDatabaseUrl,
  max: config.apiConnections,
  applicationName: 'gleaner-api',
});
const presence = await reportPresence(db, 'api', log);
await demandSecretKey(db, config, log);
const queue = await createQueueBackend({
  redisUrl: config.redisUrl,
  databaseUrl: config.directDatabaseUrl,
  connections: config.queueConnections,
  applicationName: 'gleaner-api',
  log,
}).catch(exitOnError(log, 'the queue does not respond'));
const { limiter, close: closeLimiter } = openRateLimiter({ redisUrl: config.redisUrl, db, log });
const interactive = await openInteractive({ db, queue, log }, { instanceId: presence.id }).catch(
  exitOnError(log, 'the database or the queue does not respond'),
);
const pool = createExtractionPool({
  threads: config.extractionThreads ?? Math.max(1, availableParallelism() - 1),
  spareThreads: 2,
});
const egress = createEgressGuard({ allow: parseEgressAllow(config.egressAllow) });
const pageResources = createPageResources({ egress });
const external = createExternalDatabases({
  secretKey: config.secretKey,
  resolveEgress: async (host, port) => ({ ...(await guardedAddress(egress, host, port)), port }),
});
const tracer = await openTracer({ endpoint: config.otlpEndpoint, service: 'gleaner-api' });
const app = await buildServer({
  config,
  db,
  queue,
  log,
  now: () => new Date(),
  interactive,
  currentParsers: createCurrentParsers({ db, config }),
  keys: createKeyRing(db, log),
  pool,
  rateLimiter: limiter,
  external,
  pageResources,
  parsers: createParserCache(db),
  blobs: openFileStore({ db, config }).blobs,
  metrics: createMetrics('api'),
  tracer,
  watches: createRunWatches({ db, log }),
  streams: createOpenStreams(),
  fairShare: createFairShare(),
});

superviseProcess(log, async () => {
  await app.close();
  await tracer.close();
  await pool.close();
  await interactive.close();
  await external.close();
  await pageResources.close();
  await queue.close();
  await closeLimiter();
  await presence.stop();
  await db.close();
});

const address = await app.listen({ port: config.port, host: config.host });
log.info({ address, pid: process.pid, queue: queue.kind }, 'api listens');
