import { availableParallelism } from 'node:os';
import {
  createFairShare,
  createMetrics,
  createOpenStreams,
  createCurrentParsers,
  createGuardedDatabases,
  createKeyRing,
  createRunWatches,
  createParserCache,
  createSheets,
  exitOnError,
  openFileStore,
  openInteractive,
  openProcess,
  openRateLimiter,
  openTracer,
  superviseProcess,
} from '@gleaner/core';
import { createEgressGuard, parseEgressAllow } from '@gleaner/fetching/egress';
import { createPageResources } from '@gleaner/fetching/page-resources';
import { createExtractionPool } from '@gleaner/threads';
import { buildServer } from './server.ts';

const { config, log, db, presence, queue } = await openProcess('api', ({ apiConnections }) => apiConnections);
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
const sheets = createSheets();
const external = createGuardedDatabases(config, egress);
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
  sheets,
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
  sheets.close();
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
