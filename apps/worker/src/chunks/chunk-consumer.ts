import { BEYOND_PUT_BACK_MS, BeyondWorker, needsCarried, readCarried, startChunk } from '@gleaner/core';
import type { Handler } from '@gleaner/queue';
import { startProgress } from './chunk-progress.ts';
import type { ChunkDeps, RunningChunk } from './chunk-work.ts';
import { runChunk } from './run-chunk.ts';

/** The expected tasks per chunk, so that chunks with few slots don't leave the worker idle. */
const TASKS_PER_JOB = 4;
const MIN_JOBS = 2;
/** The tasks of recent chunks, as a mean in which each new chunk has this weight. */
const MEAN_WEIGHT = 0.2;
/**
 * How much more than its slots a worker takes from the queue. It is above what is admitted for all workers
 * (engine.set_queue_levels), so that chunks wait for slots here, where low ranks are first, and not in the queue.
 */
const DEMAND = 1.4;

export interface ChunkConsumer {
  handle: Handler;
  /**
   * Begins no further task, and stops running ones after `graceMs`, so that the queue's consumer can close soon. Stopped
   * tasks count neither as attempts nor as deaths of their worker.
   */
  drain(graceMs: number): void;
  /** The number of concurrent jobs. It is higher while the running chunks have few slots, for example at slow last pages. */
  jobs(): number;
  /** The number of chunks that run. */
  running(): number;
}

function asBeyond(error: unknown): BeyondWorker {
  if (error instanceof BeyondWorker) return error;
  throw error;
}

/** Runs delivered chunks. Late, duplicate and cancelled deliveries do nothing. */
export function createChunkConsumer(deps: ChunkDeps): ChunkConsumer {
  const running = new Set<RunningChunk>();
  let isDraining = false;
  // Chunks are taken for short ones until some have come.
  let meanTasks = TASKS_PER_JOB;
  return {
    handle: async (payload, job) => {
      if (payload.kind !== 'chunk') return undefined;
      const leasedAt = performance.now();
      const chunk = await startChunk(deps, payload, deps.workerId).catch(asBeyond);
      if (chunk instanceof BeyondWorker) return { putBackForMs: BEYOND_PUT_BACK_MS };
      if (!chunk) return undefined;
      meanTasks += (chunk.seqs.length - meanTasks) * MEAN_WEIGHT;
      const run = await deps.runs.load(payload.run);
      if (!run) throw new Error(`run ${payload.run} does not exist`);
      const progress = startProgress(job, chunk.seqs.length);
      const follow = run.stage && {
        makeChildren: deps.childMakerOf(run),
        carried: needsCarried(run.stage) ? await readCarried(deps, chunk) : [],
      };
      const work = runChunk(deps, {
        chunk,
        run,
        rank: payload.rank ?? 1,
        leasedAt,
        progress,
        follow: follow ?? undefined,
      });
      if (isDraining) work.stop('the worker ends');
      running.add(work);
      await work.ended;
      running.delete(work);
      return undefined;
    },
    drain: (graceMs) => {
      isDraining = true;
      for (const work of running) work.yieldSlots();
      setTimeout(() => {
        for (const work of running) work.stop('the worker ends');
      }, graceMs).unref();
    },
    jobs: () => {
      let room = deps.gate.capacity * DEMAND;
      let waiting = 0;
      for (const work of running) {
        room -= work.demand();
        if (work.waitsForSink()) waiting += 1;
      }
      const jobs = Math.max(MIN_JOBS, running.size + Math.ceil(Math.max(room, 0) / TASKS_PER_JOB));
      const shortJobs = deps.shortChunks() * Math.max(1, meanTasks / TASKS_PER_JOB);
      return Math.min(jobs, waiting + Math.ceil(shortJobs));
    },
    running: () => running.size,
  };
}
