import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChunkRelease } from '@gleaner/core';
import { createChunkFlusher, type ChunkFlusher, type WriteResult } from './chunk-flusher.ts';
import { createChunkState } from './chunk-state.ts';
import { createChunkTasks, type ChunkTasks } from './chunk-tasks.ts';
import type { ChunkDeps, ChunkWork, RunningChunk } from './chunk-work.ts';

/** The interval of the chunks' housekeeping: flush, lease, release of slots. */
export const TICK_MS = 250;
/** A chunk that is asked for its slots keeps them this long at least; no chunk begins tasks for longer than its slice. */
const MIN_SLICE_MS = 250;
const MAX_SLICE_MS = 5_000;
/** How long a chunk that was stopped waits for its tasks, which were aborted, and for a write that is under way. */
const STOP_WITHIN_MS = 1_000;

/** The current phase of a running chunk. */
type Phase =
  /** Begins tasks while it has slots. */
  | 'working'
  /** Begins no further task; running ones continue. */
  | 'winding down'
  /** Holds outcomes while the sink's database is unavailable, and retries. Begins no task. */
  | 'waiting for sink'
  /** The tasks were aborted. The chunk writes finished outcomes and returns the rest. */
  | 'stopping'
  /** Writes the last outcomes and releases the chunk. */
  | 'finishing'
  /** Another worker has the chunk, or it was cancelled. Writes nothing more. */
  | 'lost'
  | 'ended';

/**
 * Runs a chunk's tasks in its slots until they are done, or until it yields, is stopped, loses its lease or is cancelled.
 * `Phase` names its states; each event below moves it from one to the next, and `proceed` does what the state allows.
 */
export function runChunk(deps: ChunkDeps, work: ChunkWork): RunningChunk {
  const { chunk, run, progress } = work;
  const stopped = deps.cancellations.watch(chunk.run);
  const asked = deps.cancellations.watch(`yield:${chunk.accountId}`);
  const state = createChunkState({ ...deps, chunk, run, progress, follow: work.follow });
  const flusher = createChunkFlusher({ deps, work, state });
  const forgetHeld = deps.outcomes.watch(chunk.accountId, state.heldLength);
  const ended = Promise.withResolvers<void>();
  const startedAt = performance.now();
  let phase: Phase = 'working';
  let { slots } = chunk;
  let isStopped = false;
  setMaxListeners(0, stopped.signal);

  const is = (...phases: readonly Phase[]): boolean => phases.includes(phase);
  const tasks = createChunkTasks({
    deps,
    work,
    state,
    signal: stopped.signal,
    onEnd: () => {
      // The last outcomes travel with the chunk's end.
      const isLast = tasks.underWay() === 0 && !tasks.hasMore();
      if (!isLast && (flusher.isFull() || state.hasChildren()) && is('working', 'winding down')) flush(null);
      proceed();
    },
  });

  /** Begins what may begin; ends the chunk when nothing is under way and nothing may begin. */
  const proceed = (): void => {
    if (is('working') && !flusher.lease.isEnding()) tasks.begin(slots, proceed);
    if (tasks.underWay() > 0 || (is('working') && tasks.hasMore())) return;
    if (!is('waiting for sink')) void finish();
  };
  const yieldSlots = (): void => {
    if (is('working')) phase = 'winding down';
    proceed();
  };
  const lose = (): void => {
    if (is('finishing', 'ended')) return;
    phase = 'lost';
    stopped.abort('the chunk was taken back');
    proceed();
  };
  const stop = (reason: string): void => {
    isStopped = true;
    flusher.stop();
    if (is('lost', 'stopping', 'finishing', 'ended')) return;
    phase = 'stopping';
    stopped.abort(reason);
    proceed();
    // A task that does not heed its abort must not keep the chunk from being given back.
    setTimeout(() => void finish(), STOP_WITHIN_MS).unref();
  };

  /** What a flush or a renewal changes. */
  const apply = (result: WriteResult, release: ChunkRelease | null): void => {
    if (result === 'late') stop('the lease ran out');
    if (result === 'lost') lose();
    if (result !== 'written' || release === null) return;
    slots = release.slots;
    state.remove(release.left);
    tasks.dropUnbegun();
    deps.freed({ account: chunk.accountId, ms: 0, isMore: release.left.length > 0 });
  };
  const flush = (release: ChunkRelease | null): void => {
    if (flusher.isWriting()) return;
    void flusher.flush(release).then((result) => {
      if (result === 'sink away' && is('working', 'winding down')) phase = 'waiting for sink';
      apply(result, release);
      if (result !== 'written' || !is('waiting for sink')) return;
      phase = 'winding down';
      proceed();
    });
  };

  const tick = (): void => {
    if (is('finishing', 'ended')) return;
    // The next worker of the chunk must not overlap with our fetches. Finished outcomes are still written.
    if (flusher.lease.isEnding()) stop('the lease ran out');
    else if (is('waiting for sink')) tickWaiting();
    else tickWorking();
  };
  const tickWorking = (): void => {
    const sliceMs = performance.now() - startedAt;
    if (sliceMs > MAX_SLICE_MS || (asked.signal.aborted && sliceMs >= MIN_SLICE_MS)) yieldSlots();
    else proceed();
    if (!is('working', 'winding down')) return;
    const isQuiet = performance.now() - tasks.lastBegunAt() > TICK_MS && !flusher.isWriting();
    const release =
      isQuiet && !(is('working') && tasks.hasMore()) ? findRelease(tasks, slots, asked.signal.aborted) : null;
    if (release || flusher.isDue(endsInMs()) || flusher.lease.isDue()) flush(release);
  };
  const endsInMs = (): number => {
    const left = is('working') ? tasks.left() : tasks.underWay();
    return state.meanMs() * Math.ceil(left / slots);
  };
  const tickWaiting = (): void => {
    const release = findWaitingRelease(tasks, slots, flusher);
    if ((release || flusher.lease.isDue()) && !flusher.isRenewing())
      void flusher.renew(release).then((result) => apply(result === 'late' ? 'failed' : result, release));
    if (flusher.sinkWait.isDue()) flush(null);
  };

  /** Ends the chunk in Postgres, unless its last outcomes must wait for the sink. */
  const finish = async (): Promise<void> => {
    if (is('finishing', 'ended', 'waiting for sink')) return;
    const isLost = is('lost');
    phase = 'finishing';
    const flushing = flusher.isWriting() ? flusher.flush(null) : undefined;
    await Promise.race([flushing, ...(isStopped ? [delay(STOP_WITHIN_MS)] : [])]);
    if (!isLost && (await flusher.end()) === 'sink away' && !stopped.signal.aborted) {
      phase = 'waiting for sink';
      return;
    }
    if (!isStopped) await flusher.followed();
    phase = 'ended';
    flusher.close();
    forgetHeld();
    stopped.signal.removeEventListener('abort', onStopped);
    asked.signal.removeEventListener('abort', onAsked);
    stopped.forget();
    asked.forget();
    ended.resolve();
  };

  const onStopped = (): void => {
    // We abort only when we stop or lose the chunk; any other abort is the run's cancellation.
    if (!is('stopping')) lose();
    proceed();
  };
  const onAsked = (): void => {
    // A chunk that waits for the slots of this worker can give back all of it.
    if (tasks.underWay() === 0 || performance.now() - startedAt >= MIN_SLICE_MS) yieldSlots();
  };
  stopped.signal.addEventListener('abort', onStopped);
  asked.signal.addEventListener('abort', onAsked);
  proceed();
  return {
    ended: ended.promise,
    tick,
    yieldSlots,
    stop,
    demand: () => (is('working') && tasks.hasMore() ? slots : tasks.underWay()),
    waitsForSink: () => is('waiting for sink'),
  };
}

/** What the last tasks need no longer: a slow one must hold neither slots nor tasks that others could have. */
function findRelease(tasks: ChunkTasks, slots: number, isAsked: boolean): ChunkRelease | null {
  const underWay = tasks.underWay();
  if (underWay === 0) return null;
  const left = tasks.unbegun();
  const isFewer = isAsked ? underWay < slots : underWay <= slots / 2;
  return left.length > 0 || isFewer ? { slots: underWay, left } : null;
}

/** Pages that wait for their sink need no slot, unless this process holds too many of them. */
function findWaitingRelease(
  tasks: ChunkTasks,
  slots: number,
  { sinkWait }: ChunkFlusher,
): ChunkRelease | null {
  const left = tasks.unbegun();
  const needed = sinkWait.mayReleaseSlots() ? tasks.underWay() : slots;
  return left.length > 0 || needed < slots ? { slots: needed, left } : null;
}
