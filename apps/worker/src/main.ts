import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { DEFAULT_PRICES } from '@gleaner/contracts';
import {
  beat,
  createBaselines,
  createCarriedReader,
  createChunkWriter,
  createDatabaseClock,
  createEnder,
  createGuardedDatabases,
  createId,
  createKnownLinks,
  createMetrics,
  createNumbering,
  createParserCache,
  createRunCache,
  createStarter,
  createStorageWatch,
  createWebhookSender,
  HEARTBEAT_MS,
  leave,
  loadSavedPage,
  openFileStore,
  openProcess,
  openTracer,
  exitOnError,
  startPeriodicTask,
  superviseProcess,
} from '@gleaner/core';
import { createExtractionPool, type ExtractionPool } from '@gleaner/extractors/pool';
import { batchQueue, interactiveQueue, type Engine, type RequestMember } from '@gleaner/queue';
import { defaultBrowserPages, interactivePages } from './browser-pages.ts';
import { createBlockedHosts } from './blocked-hosts.ts';
import { batchPoolOptions, allowHeapGrowth } from './batch-pool-options.ts';
import { openCancellations } from './cancellations.ts';
import { createChildMakers } from './chunks/child-makers.ts';
import { createSinkOpener } from './chunks/open-sink.ts';
import { createHeldAnswers } from './chunks/sink-wait.ts';
import { createSlotGate } from './chunks/slot-gate.ts';
import { createTurnTaker } from './chunks/take-turns.ts';
import { createFetcher } from '@gleaner/fetching';
import { readMemoryLimit } from '@gleaner/fetching/memory-limit';
import { toFetchMetrics, toFetchSettings, openPoliteness } from './open-fetching.ts';
import { createChunkLimit } from './load/chunk-limit.ts';
import { createInteractiveLoad } from './load/interactive-load.ts';
import { createLargeWrites } from './load/large-writes.ts';
import { createOutcomeBudget, type OutcomeBudget } from './load/outcome-budget.ts';
import { handleRequest, type RequestHandlerDeps } from './requests/handle-request.ts';
import { createRequestLeases } from './requests/request-leases.ts';
import { takeRequests } from './requests/take-requests.ts';
import { createTaskJudge } from './tasks/judge-task.ts';
import { createPageKeeper } from './pages/page-keeper.ts';
import { sendMail } from './send-mail.ts';
import { sendWebhook } from './send-webhook.ts';
import { createCrawlExecutor } from './crawls/crawl-executor.ts';
import { createTaskExecutor, type TaskExecutor } from './tasks/execute-task.ts';

/** How long pages of batches may still take when this process is asked to end. It must end within 8 s. */
const GRACE_MS = 4_000;
/** How often the work of batches is fitted to the interactive requests beside it. */
const SHARE_MS = 100;
/** Metrics travel with every fifth heartbeat. */
const METRICS_EVERY = 5;

// Half serve interactive requests and the heartbeat; the other half is for batches, which may hold all of theirs.
const { config, log, db, openDatabase, presence, queue } = await openProcess(
  'worker',
  ({ workerConnections }) => Math.ceil(workerConnections / 2),
);
const ownConnections = Math.ceil(config.workerConnections / 2);
const batchDb = openDatabase(config.workerConnections - ownConnections);
const workerId = createId('worker');
const metrics = createMetrics(workerId);
const cancellations = await openCancellations({ db, queue }).catch(
  exitOnError(log, 'the database or the queue does not respond'),
);
const threads = config.extractionThreads ?? Math.max(1, availableParallelism() - 1);
const limitBytes = readMemoryLimit();
allowHeapGrowth(limitBytes);
const browserPages = config.browserConcurrency ?? defaultBrowserPages(limitBytes, availableParallelism());
// Separate threads, so that an interactive request never waits for the pages of a batch.
const interactivePool = createExtractionPool({ threads, spareThreads: 2 });
const batchPool = createExtractionPool(batchPoolOptions(config.extractionThreads, limitBytes));
const { politeness, close: closePoliteness } = openPoliteness(config, db, log);
const blockedHosts = createBlockedHosts((host, tally) =>
  log.warn({ host, ...tally }, 'a host blocks most attempts'),
);
const fetcher = await createFetcher(toFetchSettings(config, browserPages), {
  log,
  metrics: toFetchMetrics(metrics, blockedHosts),
  politeness,
});
const parsers = createParserCache(db);
const { files, blobs } = openFileStore({ db, config });
function onInternalError(error: unknown): void {
  log.error({ err: error }, 'a task failed with an internal error');
}
const largeWrites = createLargeWrites();
// Outcomes of batches hold up no interactive request.
const batchOutcomes = createOutcomeBudget();
const requestOutcomes = createOutcomeBudget();
const prices = { ...DEFAULT_PRICES, ...config.prices };
function executorOn(pool: ExtractionPool, outcomes: OutcomeBudget): TaskExecutor {
  return createTaskExecutor({
    fetcher,
    pool,
    sites: config.sites,
    parsers,
    files,
    metrics,
    outcomes,
    prices,
    onInternalError,
  });
}
const batchExecutor = executorOn(batchPool, batchOutcomes);
const known = createKnownLinks(batchDb, log);
const tracer = await openTracer({ endpoint: config.otlpEndpoint, service: 'gleaner-worker' });
const leases = createRequestLeases({ db, log });
const requestDeps: RequestHandlerDeps = {
  log,
  tracer,
  starter: createStarter({ db }, workerId),
  // Ends of requests whose accounts are locked leave a connection to the others.
  ender: createEnder({ db, queue, log }, { maxLanes: Math.max(1, ownConnections - 1) }),
  secretKey: config.secretKey,
  executor: executorOn(interactivePool, requestOutcomes),
  leases,
  cancellations,
  metrics,
  outcomes: requestOutcomes,
  largeWrites: createLargeWrites(),
};

const interactiveLoad = createInteractiveLoad();

async function runRequest({ id, attempt }: RequestMember): Promise<void> {
  const endLoad = interactiveLoad.begin();
  try {
    await handleRequest(requestDeps, { id, attempt });
  } finally {
    endLoad();
  }
}

const external = createGuardedDatabases(config, fetcher.guard);
const runs = createRunCache(batchDb, config.secretKey);
const crawler = createCrawlExecutor({
  db: batchDb,
  fetcher,
  pool: batchPool,
  parsers,
  files,
  metrics,
  outcomes: batchOutcomes,
  prices,
  runs,
  known,
  clock: createDatabaseClock(batchDb),
  onInternalError,
});
const openSink = createSinkOpener({ db: batchDb, external, parsers });
const judge = createTaskJudge(createBaselines(batchDb));
const pages = createPageKeeper({ db: batchDb, blobs, log });
const heldAnswers = createHeldAnswers();
const childMakerOf = createChildMakers(config.sites);
const numbering = createNumbering({ db: batchDb, queue, log });

const storage = createStorageWatch(batchDb, config);
const readCarriedValues = createCarriedReader({ db: batchDb });
const writer = createChunkWriter({ db: batchDb, queue, log }, workerId);

/** Batches have a separate fetch capacity, so that interactive requests never wait for them. */
function takeTurns(engine: Engine) {
  const capacity = engine === 'http' ? config.httpConcurrency : browserPages;
  const limit = createChunkLimit(capacity);
  const name = batchQueue(engine);
  const deps = {
    db: batchDb,
    queue,
    log,
    workerId,
    executor: batchExecutor,
    crawler,
    known,
    runs,
    writer,
    gate: createSlotGate(capacity),
    shortChunks: limit.current,
    cancellations,
    heldAnswers,
    outcomes: batchOutcomes,
    largeWrites,
    openSink,
    judge,
    storage,
    pages,
    savedPage: (task: Parameters<typeof loadSavedPage>[1]) => loadSavedPage({ db: batchDb, blobs }, task),
    childMakerOf,
    numbering,
    readCarriedValues,
    count: (outcome: string) => metrics.tasks.inc({ kind: 'chunk', outcome }),
  };
  const taker = createTurnTaker(deps, name, queue.claimer(name));
  const share = (utilization: number): void => {
    limit.adjust({ utilization, used: taker.running(), interactive: interactiveLoad.recent() });
  };
  return { taker, share };
}
const batches = config.workerQueues.map(takeTurns);

let loopUse = performance.eventLoopUtilization();
const sharing = setInterval(() => {
  const { utilization } = performance.eventLoopUtilization(loopUse);
  loopUse = performance.eventLoopUtilization();
  for (const { share } of batches) share(utilization);
}, SHARE_MS);

const consumers = config.workerQueues.map((engine) => {
  const name = interactiveQueue(engine);
  const capacity = engine === 'http' ? config.httpConcurrency : interactivePages(browserPages);
  return takeRequests({ db, queue, log, run: runRequest }, name, capacity);
});

// While memory is short this worker takes no jobs; other workers take the waiting ones.
let refusal: string | null = null;
const admission = startPeriodicTask({ name: 'admission', everyMs: 500, log }, async () => {
  const reason = fetcher.admission().reason ?? null;
  const hasClosed = reason !== null && refusal === null;
  const hasOpened = reason === null && refusal !== null;
  refusal = reason;
  // What is fetched could not be stored.
  const hasDisk = await storage.hasDisk();
  for (const { taker } of batches) taker.refuse(reason !== null || !hasDisk);
  if (hasClosed) await Promise.all(consumers.map((consumer) => consumer.pause()));
  if (hasOpened) for (const consumer of consumers) consumer.resume();
});

const sender = createWebhookSender({
  db,
  config,
  log,
  now: () => new Date(),
  send: sendWebhook(fetcher),
  sendMail: config.smtpUrl === undefined ? undefined : sendMail(config.smtpUrl, config.smtpFrom),
});
const webhooks = startPeriodicTask({ name: 'webhooks', everyMs: 500, log }, () => sender.tick());

let beats = 0;
async function sendBeat(): Promise<void> {
  beats += 1;
  const { pages, memoryBytes, sandbox } = fetcher.stats().browser;
  if (sandbox !== 'untried') metrics.browserSandbox.set({ state: sandbox }, 1);
  metrics.browserPages.set(pages);
  metrics.browserMemoryBytes.set(memoryBytes);
  metrics.blockedHosts.set(blockedHosts.count());
  const withMetrics =
    beats % METRICS_EVERY === 1 ? { metrics: await metrics.registry.getMetricsAsJSON() } : {};
  const capacity = { http: config.httpConcurrency, browser: browserPages };
  await beat(db, { workerId, engines: config.workerQueues, refuses: refusal, capacity, ...withMetrics });
}
const heartbeat = setInterval(() => {
  sendBeat().catch((error: unknown) => log.warn({ err: error }, 'heartbeat failed'));
}, HEARTBEAT_MS);
await sendBeat();

superviseProcess(log, async () => {
  for (const { taker } of batches) taker.drain(GRACE_MS);
  await Promise.all([...batches.map(({ taker }) => taker), ...consumers].map((part) => part.close()));
  await Promise.all([webhooks.stop(), admission.stop()]);
  await sender.close();
  await pages.close();
  clearInterval(heartbeat);
  clearInterval(sharing);
  leases.close();
  await leave(db, workerId);
  await fetcher.close();
  await closePoliteness();
  await Promise.all([interactivePool.close(), batchPool.close()]);
  await tracer.close();
  await cancellations.close();
  await external.close();
  await queue.close();
  await presence.stop();
  await Promise.all([db.close(), batchDb.close()]);
});
log.info({ workerId, pid: process.pid, queues: config.workerQueues, queue: queue.kind }, 'worker ready');
