import { availableParallelism } from 'node:os';
import {
  createExternalDatabases,
  createFairShare,
  createLogger,
  createMetrics,
  createOpenStreams,
  createCurrentParsers,
  createKeyRing,
  createBatchWatches,
  createParserCache,
  demandSecretKey,
  loadProcessConfig,
  exitOnError,
  openInteractive,
  openRateLimiter,
  superviseProcess,
} from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { createEgressGuard, guardedAddress, parseEgressAllow } from '@gleaner/fetching/egress';
import { createExtractionPool } from '@gleaner/extractors/pool';
import { createQueueBackend } from '@gleaner/queue';
import { buildServer } from './server.ts';

const config = loadProcessConfig();
const log = createLogger('api', config.logLevel);
const db = createDatabase(config.databaseUrl, { max: 20, applicationName: 'gleaner-api' });
await demandSecretKey(db, config, log);
const queue = await createQueueBackend({
  redisUrl: config.redisUrl,
  databaseUrl: config.databaseUrl,
  log,
}).catch(exitOnError(log, 'the queue does not answer'));
const { limiter, close: closeLimiter } = openRateLimiter({
  redisUrl: config.redisUrl,
  databaseUrl: config.databaseUrl,
  log,
});
const interactive = await openInteractive({ db, queue, log }).catch(
  exitOnError(log, 'the database or the queue does not answer'),
);
const pool = createExtractionPool({
  threads: config.extractionThreads ?? Math.max(1, availableParallelism() - 1),
  spareThreads: 1,
});
const egress = createEgressGuard({ allow: parseEgressAllow(config.egressAllow) });
const external = createExternalDatabases({
  secretKey: config.secretKey,
  resolveEgress: async (host, port) => ({ ...(await guardedAddress(egress, host, port)), port }),
});
const app = await buildServer({
  config,
  db,
  queue,
  log,
  now: () => new Date(),
  interactive,
  currentParsers: createCurrentParsers(db),
  keys: createKeyRing(db, log),
  pool,
  rateLimiter: limiter,
  external,
  parsers: createParserCache(db),
  metrics: createMetrics('api'),
  watches: createBatchWatches(),
  streams: createOpenStreams(),
  fairShare: createFairShare(),
});

superviseProcess(log, async () => {
  await app.close();
  await pool.close();
  await interactive.close();
  await external.close();
  await queue.close();
  await closeLimiter();
  await db.close();
});

const address = await app.listen({ port: config.port, host: config.host });
log.info({ address, pid: process.pid, queue: queue.kind }, 'api listens');
