import {
  createBaselines,
  createCarriedReader,
  createChunkWriter,
  createKnownLinks,
  createNumbering,
  createRunCache,
  loadSavedPage,
  type PageKeeping,
  type RunSinkDeps,
  type StorageWatch,
} from '@gleaner/core';
import type { ExtractionPool } from '@gleaner/threads';
import { batchQueue, type Engine } from '@gleaner/queue';
import type { ChunkDeps } from './chunks/running/chunk-work.ts';
import { createHeldAnswers, createSinkOpener } from './chunks/running/sinks.ts';
import { createChildMakers } from './chunks/taking/follow.ts';
import { createTurnTaker } from './chunks/taking/take-turns.ts';
import { createCrawlExecutor } from './crawls/crawl-executor.ts';
import { createChunkLimit } from './load/chunk-limit.ts';
import { watchEventLoop } from './load/event-loop.ts';
import { createLargeWrites } from './load/large-writes.ts';
import { createOutcomeBudget } from './load/outcome-budget.ts';
import { createSlotGate } from './load/slot-gate.ts';
import { createPageKeeper } from './pages/page-keeper.ts';
import { createTaskExecutor } from './tasks/execute-task.ts';
import { createTaskJudge } from './tasks/judge-task.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The chunks of batches that this process runs. */
export interface BatchWork {
  /** While true, it takes nothing; other workers do. */
  refuse(isRefusing: boolean): void;
  /** Begins no further task, and stops running ones after `graceMs`. */
  drain(graceMs: number): void;
  /** After `drain`: waits until all chunks have ended and the pages that they keep are stored. */
  close(): Promise<void>;
}

interface BatchParts
  extends WorkerParts, PageKeeping, Pick<RunSinkDeps, 'external'>, Pick<ChunkDeps, 'clock'> {
  pool: ExtractionPool;
  storage: StorageWatch;
}

type SharedDeps = Omit<ChunkDeps, 'freed' | 'gate' | 'shortChunks'>;

/** What the chunks of all queues share. */
function createSharedDeps(parts: BatchParts, pages: ChunkDeps['pages']): SharedDeps {
  const { config, log, db, blobs, queue, workerId, clock, metrics, tasks, pool } = parts;
  // Outcomes of batches hold up no interactive request.
  const outcomes = createOutcomeBudget();
  const known = createKnownLinks(db, log);
  const runs = createRunCache(db, config.secretKey);
  return {
    db,
    queue,
    log,
    workerId,
    clock,
    executor: createTaskExecutor({ ...tasks, pool, outcomes }),
    crawler: createCrawlExecutor({ ...tasks, db, pool, outcomes, runs, known, clock }),
    known,
    runs,
    writer: createChunkWriter({ db, queue, log }, workerId),
    cancellations: parts.cancellations,
    heldAnswers: createHeldAnswers(),
    outcomes,
    largeWrites: createLargeWrites(),
    openSink: createSinkOpener({ db, external: parts.external, parsers: tasks.parsers }),
    judge: createTaskJudge(createBaselines(db)),
    storage: parts.storage,
    pages,
    savedPage: (task) => loadSavedPage({ db, blobs }, task),
    childMakerOf: createChildMakers(config.sites),
    numbering: createNumbering({ db, queue, log }),
    readCarriedValues: createCarriedReader({ db }),
    count: (outcome) => metrics.tasks.inc({ kind: 'chunk', outcome }),
  };
}

/** Takes and runs chunks of this worker's batch queues. They have a fetch capacity of their own, so interactive requests never wait for them. */
export function startBatchWork(parts: BatchParts): BatchWork {
  const { config, log, db, blobs, queue, interactiveLoad } = parts;
  const pages = createPageKeeper({ db, blobs, log });
  const shared = createSharedDeps(parts, pages);
  const startTaker = (engine: Engine) => {
    const capacity = parts.capacity[engine];
    const limit = createChunkLimit(capacity);
    const name = batchQueue(engine);
    const deps = { ...shared, gate: createSlotGate(capacity), shortChunks: limit.current };
    return { limit, taker: createTurnTaker(deps, name, queue.claimer(name)) };
  };
  const queues = config.workerQueues.map(startTaker);
  const endWatch = watchEventLoop((utilization) => {
    for (const { limit, taker } of queues)
      limit.adjust({ utilization, used: taker.running(), interactive: interactiveLoad.recent() });
  });
  return {
    refuse: (isRefusing) => {
      for (const { taker } of queues) taker.refuse(isRefusing);
    },
    drain: (graceMs) => {
      for (const { taker } of queues) taker.drain(graceMs);
    },
    close: async () => {
      await Promise.all(queues.map(({ taker }) => taker.close()));
      endWatch();
      await pages.close();
    },
  };
}
