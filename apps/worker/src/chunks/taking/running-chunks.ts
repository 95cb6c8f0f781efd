import { ChunkLostError, isDeferred, NOTHING, type FreedSlots, type TakenChunk } from '@gleaner/core';
import type { ChunkDeps, ChunkProgress, RunningChunk } from '../running/chunk-work.ts';
import { runChunk, TICK_MS } from '../running/run-chunk.ts';
import { readFollow } from './follow.ts';

/**
 * Slots that a worker takes ahead for each of its chunks, so that none waits for a round trip when chunks are small. Large ones
 * seldom end, and another worker could use a slot of their account that waits here.
 */
const AHEAD = 0.25;
/** Chunks of few tasks, for the limit beside interactive requests. */
const TASKS_PER_CHUNK = 4;
/** The tasks of recent chunks are a mean in which each new chunk has this weight. */
const MEAN_WEIGHT = 0.2;

/** The chunks that one worker runs of one queue, and the room for more. */
export interface RunningChunks {
  /** Runs a chunk that was taken. Resolves when this worker no longer holds it; never rejects. */
  run(chunk: TakenChunk, leasedAt: number, progress: ChunkProgress): Promise<void>;
  /** Slots for which chunks may be taken now; 0 while few are free, unless one is idle. */
  room(): number;
  /** Chunks under way. */
  count(): number;
  /** They begin no further task. */
  yieldSlots(): void;
  /** They are aborted and given back, also those that begin later. */
  stop(reason: string): void;
  close(): void;
}

/** Slots that may be taken beyond those of the worker: none if they don't make a whole chunk. @param demands slots of its chunks */
function slotsAhead(demands: readonly number[]): number {
  const ahead = Math.ceil(demands.length * AHEAD);
  const used = demands.reduce((sum, slots) => sum + slots, 0);
  return ahead * demands.length >= used ? ahead : 0;
}

/** @param freed called when a chunk gave back slots */
export function createRunningChunks(
  deps: Omit<ChunkDeps, 'freed'>,
  freed: (slots: FreedSlots) => void,
): RunningChunks {
  const { gate, log } = deps;
  const running = new Set<RunningChunk>();
  /** Slots of chunks that are about to run. */
  let starting = 0;
  let meanTasks = TASKS_PER_CHUNK;
  let stopReason: string | undefined;

  const ticking = setInterval(() => {
    for (const work of running) work.tick();
  }, TICK_MS);

  const start = async (
    chunk: TakenChunk,
    leasedAt: number,
    progress: ChunkProgress,
  ): Promise<RunningChunk> => {
    const run = await deps.runs.load(chunk.run);
    const follow = run.stage && isDeferred(run.stage) ? undefined : await readFollow(deps, chunk, run);
    return runChunk({ ...deps, freed }, { chunk, run, leasedAt, progress, follow });
  };
  const giveBack = async (chunk: TakenChunk): Promise<void> => {
    try {
      await deps.writer.write(chunk, NOTHING, { end: { retries: [], left: chunk.seqs, busyMs: 0 } });
      freed({ account: chunk.accountId, ms: -chunk.charge, isMore: true });
    } catch (error) {
      if (error instanceof ChunkLostError) return;
      log.warn({ err: error, runId: chunk.runId }, 'a chunk was not given back; its lease will run out');
    }
  };

  return {
    run: async (chunk, leasedAt, progress) => {
      meanTasks += (chunk.seqs.length - meanTasks) * MEAN_WEIGHT;
      starting += chunk.slots;
      let work: RunningChunk;
      try {
        work = await start(chunk, leasedAt, progress);
      } catch (error) {
        log.warn({ err: error, runId: chunk.runId }, 'a chunk did not begin; it is given back');
        await giveBack(chunk);
        return;
      } finally {
        starting -= chunk.slots;
      }
      running.add(work);
      if (stopReason !== undefined) work.stop(stopReason);
      await work.ended;
      running.delete(work);
      progress.ended();
    },
    room: () => {
      const works = [...running];
      const demands = works.map((work) => work.demand()).filter((slots) => slots > 0);
      const used = demands.reduce((sum, slots) => sum + slots, starting);
      const waiting = works.filter((work) => work.waitsForSink()).length;
      const mostShort = Math.ceil(deps.shortChunks() * Math.max(1, meanTasks / TASKS_PER_CHUNK));
      if (running.size - waiting >= mostShort) return 0;
      // All that may be ahead is taken at once.
      return used <= gate.capacity ? gate.capacity + slotsAhead(demands) - used : 0;
    },
    count: () => running.size + (starting > 0 ? 1 : 0),
    yieldSlots: () => {
      for (const work of running) work.yieldSlots();
    },
    stop: (reason) => {
      stopReason = reason;
      for (const work of running) work.stop(reason);
    },
    close: () => clearInterval(ticking),
  };
}
