import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ChunkLostError,
  deliverNext,
  finishChunk,
  flushChunk,
  numberChildren,
  type ChunkOutcomes,
  type ChunkRelease,
  type TaskSpec,
} from '@gleaner/core';
import { createChunkState } from './chunk-state.ts';
import type { ChunkDeps, ChunkWork, RunningChunk } from './chunk-work.ts';
import { holdLease } from './held-lease.ts';
import { interleaveHosts } from './interleave-hosts.ts';
import { mayWait } from './plan-retries.ts';
import { writeOutcomes } from './write-outcomes.ts';

/** How often a chunk looks after itself: flush, lease, slots it needs no longer. */
const TICK_MS = 250;
/** Outcomes are written after this long, or at a tick when there are some, or at once when there are many. */
const FLUSH_MS = 500;
const TICK_COUNT = 12;
const FLUSH_COUNT = 400;
const FLUSH_LENGTH = 4 * 1024 * 1024;
/** A chunk that is asked for its slots keeps them this long at least; no chunk begins tasks for longer than its slice. */
const MIN_SLICE_MS = 250;
const MAX_SLICE_MS = 5_000;
const TASK_TIMEOUT_MS = 120_000;
/** How long a finish is tried while Postgres is away. */
const FINISH_WITHIN_MS = 30_000;
const FINISH_PAUSE_MS = 300;

const NOTHING: ChunkOutcomes = { succeeded: [], answers: null, failed: [], errors: [] };

/**
 * Runs a chunk's tasks in its slots until they are done, or until it yields, loses its lease or is cancelled.
 */
export function runChunk(deps: ChunkDeps, work: ChunkWork): RunningChunk {
  const { chunk, run, progress } = work;
  const { gate, log } = deps;
  const isApi = run.target.type === 'api';
  const order = isApi ? chunk.inputs.map((_, place) => place) : interleaveHosts(chunk.inputs);
  const openSink = run.mode === 'database' ? () => deps.openSink(run) : undefined;
  const state = createChunkState({ chunk, run, progress, count: deps.count, follow: work.follow });
  const stop = deps.cancellations.watch(chunk.run);
  const asked = deps.cancellations.watch(`yield:${chunk.accountId}`);
  const ended = Promise.withResolvers<void>();
  const startedAt = performance.now();
  setMaxListeners(0, stop.signal);

  let { slots } = chunk;
  let next = 0;
  let inFlight = 0;
  let flushedAt = startedAt;
  let lastBegunAt = startedAt;
  let isYielding = false;
  /** Taken back or cancelled: nothing that is not written may be written. */
  let isGone = false;
  let isEnding = false;
  let flushing: Promise<void> | null = null;
  let following: Promise<unknown> = Promise.resolve();

  const begin = (place: number): void => {
    const begunAt = performance.now();
    lastBegunAt = begunAt;
    const input = chunk.inputs[place] ?? '';
    const spec: TaskSpec = {
      target: run.target,
      input: isApi ? readApiInput(input) : { url: input },
      config: run.config,
    };
    void deps.executor
      .execute(spec, {
        accountId: chunk.accountId,
        deadlineAt: Date.now() + TASK_TIMEOUT_MS,
        signal: stop.signal,
        attempts: 'none',
        comesAgain: mayWait(run.no, 0, Date.now()),
      })
      .then(
        (outcome) => state.add(place, outcome, performance.now() - begunAt),
        (error: unknown) => {
          // Aborted: the task goes back, or belongs to nobody any more.
          if (stop.signal.aborted) return;
          log.error({ err: error, runId: run.id }, 'a task threw');
          state.add(place, { ok: false, error: { code: 'internal' } }, performance.now() - begunAt);
        },
      )
      .then(() => {
        inFlight -= 1;
        gate.release();
        const isMuch = state.count() >= FLUSH_COUNT || state.answerLength() >= FLUSH_LENGTH;
        if (isMuch || state.hasChildren()) void flush(null);
        proceed();
      });
  };

  const hasMore = (): boolean => !isYielding && !isGone && next < order.length;

  /** Begins what may begin; ends the chunk when nothing is under way and nothing may begin. */
  const proceed = (): void => {
    while (hasMore() && inFlight < slots) {
      if (lease.isEnding()) return;
      if (!gate.tryTake(proceed)) return;
      inFlight += 1;
      begin(order[next] ?? 0);
      next += 1;
    }
    if (inFlight === 0 && !hasMore()) void end();
  };

  const flush = (release: ChunkRelease | null): Promise<void> => {
    flushing ??= flushOnce(release).finally(() => {
      flushing = null;
    });
    return flushing;
  };

  const renew = async (): Promise<boolean> => {
    const { isLate } = await flushChunk(chunk, NOTHING, null, deps.db.sql);
    return !isLate;
  };
  const lease = holdLease(work.leasedAt, renew);

  /** A sink may be slower than a lease is long: nobody else is to fetch the same pages meanwhile. */
  const keepLease = <T>(write: () => Promise<T>): Promise<T> =>
    openSink === undefined ? write() : lease.keepWhile(write);

  /** Lets further stages of the workflow run go on with what was written. */
  const followUp = async (outcomes: ChunkOutcomes): Promise<void> => {
    if (outcomes.children === undefined) return;
    try {
      await numberChildren(deps, outcomes.children.rootNo);
    } catch (error) {
      log.warn({ err: error, runId: run.id }, 'children are not tasks yet; the sweeper goes on with them');
    }
  };

  const flushOnce = async (release: ChunkRelease | null): Promise<void> => {
    const taken = state.take();
    const sentAt = performance.now();
    flushedAt = sentAt;
    try {
      const { isLate, admitted } = await keepLease(() =>
        writeOutcomes({
          db: deps.db,
          openSink,
          ...taken,
          commit: (sql) => flushChunk(chunk, taken.outcomes(), release, sql),
        }),
      );
      if (isLate) {
        stopAtLeaseEnd();
        return;
      }
      lease.extend(sentAt);
      if (release) {
        slots = release.slots;
        state.remove(release.left);
        next = order.length;
      }
      progress.report();
      await deliverNext(deps, admitted);
      following = Promise.all([following, followUp(taken.outcomes())]);
    } catch (error) {
      taken.giveBack();
      if (error instanceof ChunkLostError) leave('the chunk was taken back');
      else log.warn({ err: error, runId: run.id, chunk: chunk.chunk }, 'a flush failed; trying again');
    }
  };

  const leave = (reason: string): void => {
    isGone = true;
    stop.abort(reason);
    proceed();
  };

  const yieldSlots = (): void => {
    isYielding = true;
    proceed();
  };

  /** Whoever takes the chunk over must not meet our fetches; what was done is still written. */
  const stopAtLeaseEnd = (): void => {
    isYielding = true;
    stop.abort('the lease ran out');
    proceed();
  };

  const tick = (): void => {
    const now = performance.now();
    if (lease.isEnding()) {
      stopAtLeaseEnd();
      return;
    }
    const sliceMs = now - startedAt;
    if (sliceMs > MAX_SLICE_MS || (asked.signal.aborted && sliceMs >= MIN_SLICE_MS)) yieldSlots();
    else proceed();
    if (isEnding) return;
    const release = now - lastBegunAt > TICK_MS && !flushing ? findRelease() : null;
    const isDue = state.count() >= TICK_COUNT || (state.count() > 0 && now - flushedAt >= FLUSH_MS);
    if (release || isDue || lease.isDue()) void flush(release);
  };

  /** What the last tasks need no longer: a slow one must hold neither slots nor tasks that others could have. */
  const findRelease = (): ChunkRelease | null => {
    if (hasMore() || isGone || inFlight === 0) return null;
    const left = order.slice(next).map((place) => chunk.seqs[place] ?? -1);
    const isFewer = asked.signal.aborted ? inFlight < slots : inFlight <= slots / 2;
    return left.length > 0 || isFewer ? { slots: inFlight, left } : null;
  };

  const finish = async (): Promise<void> => {
    const until = performance.now() + FINISH_WITHIN_MS;
    for (;;) {
      const taken = state.take();
      try {
        const admitted = await keepLease(() =>
          writeOutcomes({
            db: deps.db,
            openSink,
            ...taken,
            commit: (sql) => finishChunk(chunk, taken.outcomes(), state.end(), sql),
          }),
        );
        progress.report();
        await deliverNext(deps, admitted);
        await Promise.all([following, followUp(taken.outcomes())]);
        return;
      } catch (error) {
        if (error instanceof ChunkLostError) return;
        if (performance.now() > until) throw error;
        taken.giveBack();
        await delay(FINISH_PAUSE_MS);
      }
    }
  };

  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    clearInterval(ticking);
    stop.signal.removeEventListener('abort', onStop);
    asked.signal.removeEventListener('abort', onAsked);
    try {
      await flushing;
      if (!isGone) await finish();
    } catch (error) {
      log.warn(
        { err: error, runId: run.id, chunk: chunk.chunk },
        'a chunk was not finished; it will run again',
      );
    } finally {
      stop.forget();
      asked.forget();
      ended.resolve();
    }
  };

  const onStop = (): void => {
    // At the lease's end we stop ourselves; any other stop is the run's cancellation.
    if (!isYielding) isGone = true;
    proceed();
  };
  const onAsked = (): void => {
    if (performance.now() - startedAt >= MIN_SLICE_MS) yieldSlots();
  };
  stop.signal.addEventListener('abort', onStop);
  asked.signal.addEventListener('abort', onAsked);
  const ticking = setInterval(tick, TICK_MS);
  proceed();
  return { ended: ended.promise, yieldSlots, demand: () => (hasMore() ? slots : inFlight) };
}

// Written by createRun: for prebuilt APIs an object's JSON text.
function readApiInput(input: string): TaskSpec['input'] {
  return JSON.parse(input) as TaskSpec['input'];
}
