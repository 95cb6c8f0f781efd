import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ChunkLostError, type ChunkOutcomes, type ChunkRelease, type FlushOptions } from '@gleaner/core';
import type { Phase } from './chunk-phase.ts';
import { createChunkState, type TakenOutcomes } from './chunk-state.ts';
import { createChunkTasks } from './chunk-tasks.ts';
import type { ChunkDeps, ChunkWork, RunningChunk } from './chunk-work.ts';
import { flushSingly, isRefused } from './flush-singly.ts';
import { createFollowUp } from './follow-up.ts';
import { holdLease } from './held-lease.ts';
import { createSinkWait } from './sink-wait.ts';
import { SinkAwayError, writeOutcomes, type WriteInput } from './write-outcomes.ts';

/** The interval of a chunk's housekeeping: flush, lease, release of slots. */
const TICK_MS = 250;
/** Outcomes are written after this long, or at a tick when there are some, or at once when there are many. */
const FLUSH_MS = 500;
const TICK_COUNT = 12;
const FLUSH_COUNT = 400;
const FLUSH_LENGTH = 4 * 1024 * 1024;
/** A chunk that is asked for its slots keeps them this long at least; no chunk begins tasks for longer than its slice. */
const MIN_SLICE_MS = 250;
const MAX_SLICE_MS = 5_000;
/** How long a finish is retried while Postgres is unavailable. */
const FINISH_WITHIN_MS = 30_000;
const FINISH_PAUSE_MS = 300;
/** How long a chunk that was stopped waits for its tasks, which were aborted, and for a write that is under way. */
const STOP_WITHIN_MS = 1_000;

const NOTHING: ChunkOutcomes = { succeeded: [], answers: null, failed: [], errors: [] };

/**
 * Runs a chunk's tasks in its slots until they are done, or until it yields, is stopped, loses its lease or is cancelled.
 */
export function runChunk(deps: ChunkDeps, work: ChunkWork): RunningChunk {
  const { chunk, run, progress } = work;
  const openSink = run.mode === 'database' ? () => deps.openSink(run) : undefined;
  const stopped = deps.cancellations.watch(chunk.run);
  const asked = deps.cancellations.watch(`yield:${chunk.accountId}`);
  const state = createChunkState({ chunk, run, progress, count: deps.count, follow: work.follow });
  const sinkWait = createSinkWait(deps.heldAnswers);
  const followUp = createFollowUp(deps, run);
  const ended = Promise.withResolvers<void>();
  const startedAt = performance.now();
  setMaxListeners(0, stopped.signal);

  let phase: Phase = 'working';
  let { slots } = chunk;
  let flushedAt = startedAt;
  let flushing: Promise<void> | null = null;
  let renewing: Promise<boolean> | null = null;
  /** Outcomes that the sink does not take are given back then. */
  let isStopped = false;
  let hasFreed = false;
  /** Failures make room in a budget when the chunk ends. */
  let hasFailed = false;

  const tasks = createChunkTasks({
    deps,
    work,
    state,
    signal: stopped.signal,
    onEnd: () => {
      const isMuch = state.count() >= FLUSH_COUNT || state.answerLength() >= FLUSH_LENGTH;
      if ((isMuch || state.hasChildren()) && isTaking()) void flush(null);
      proceed();
    },
  });
  let isWaitNoted = false;
  /** What a flush changes: it notes when the wait for the sink begins, and when it ends. */
  const flushWith = async (
    outcomes: ChunkOutcomes,
    options: Pick<FlushOptions, 'release' | 'rows'>,
    waiting: number,
  ): Promise<{ isLate: boolean }> => {
    const changesWait = waiting > 0 !== isWaitNoted;
    hasFailed ||= outcomes.failed.length > 0;
    const flushed = await deps.writer.flush(chunk, outcomes, { ...options, waiting, changesWait });
    isWaitNoted = waiting > 0;
    if (changesWait && !isWaitNoted) deps.freed({ account: chunk.accountId, ms: 0, isMore: true });
    return flushed;
  };
  /** Renews the lease and gives back what the chunk needs no longer. Returns false when the lease had run out. */
  const renew = async (release: ChunkRelease | null): Promise<boolean> => {
    const sentAt = performance.now();
    const { isLate } = await flushWith(NOTHING, { release }, sinkWait.count());
    if (!isLate) {
      lease.extend(sentAt);
      applyRelease(release);
    }
    return !isLate;
  };
  const lease = holdLease(work.leasedAt, () => renew(null));

  const isTaking = (): boolean => phase === 'working' || phase === 'winding down';
  const applyRelease = (release: ChunkRelease | null): void => {
    if (!release) return;
    slots = release.slots;
    state.remove(release.left);
    tasks.dropUnbegun();
    deps.freed({ account: chunk.accountId, ms: 0, isMore: release.left.length > 0 });
  };

  /** Begins what may begin; ends the chunk when nothing is under way and nothing may begin. */
  const proceed = (): void => {
    if (phase === 'working' && !lease.isEnding()) tasks.begin(slots, proceed);
    if (tasks.underWay() > 0 || (phase === 'working' && tasks.hasMore())) return;
    if (phase !== 'waiting for sink') void finish();
  };
  const yieldSlots = (): void => {
    if (phase === 'working') phase = 'winding down';
    proceed();
  };
  const lose = (): void => {
    if (phase === 'finishing' || phase === 'ended') return;
    phase = 'lost';
    stopped.abort('the chunk was taken back');
    proceed();
  };
  const stop = (reason: string): void => {
    isStopped = true;
    if (phase === 'lost' || phase === 'stopping' || phase === 'finishing' || phase === 'ended') return;
    phase = 'stopping';
    stopped.abort(reason);
    proceed();
    // A task that does not heed its abort must not keep the chunk from being given back.
    setTimeout(() => void finish(), STOP_WITHIN_MS).unref();
  };

  /** Writes outcomes with their rows; a sink may be slower than a lease is long. */
  const write = <T>(taken: TakenOutcomes, commit: WriteInput<T>['commit']): Promise<T> => {
    const act = (): Promise<T> =>
      writeOutcomes({ openSink, keepsOutcomes: isStopped || sinkWait.mayGoOn(), ...taken, commit });
    return openSink === undefined ? act() : lease.keepWhile(act);
  };
  const waitForSink = (taken: TakenOutcomes): void => {
    taken.giveBack();
    if (isStopped) return;
    if (sinkWait.count() === 0) {
      deps.log.warn(
        { runId: run.id, chunk: chunk.chunk },
        'fetched pages wait for the database of their sink',
      );
    }
    sinkWait.begin(state.count(), state.answerLength());
    if (phase !== 'lost' && phase !== 'stopping') phase = 'waiting for sink';
  };

  const flush = (release: ChunkRelease | null): Promise<void> => {
    flushing ??= flushOnce(release).finally(() => {
      flushing = null;
    });
    return flushing;
  };
  const writeSingly = (): Promise<void> =>
    flushSingly(state, {
      write: (taken) => write(taken, (rows) => flushWith(taken.outcomes(), { rows }, 0)),
      onRefused: (err) =>
        deps.log.error({ err, runId: run.id, chunk: chunk.chunk }, 'Postgres refuses an outcome'),
      onWritten: followUp.start,
    });
  const flushOnce = async (release: ChunkRelease | null): Promise<void> => {
    const taken = state.take();
    const sentAt = performance.now();
    flushedAt = sentAt;
    try {
      const { isLate } = await write(taken, (rows) => flushWith(taken.outcomes(), { release, rows }, 0));
      taken.settle();
      followUp.start(taken.outcomes());
      sinkWait.end();
      if (isLate) {
        stop('the lease ran out');
        return;
      }
      lease.extend(sentAt);
      applyRelease(release);
      if (phase === 'waiting for sink') {
        phase = 'winding down';
        proceed();
      }
    } catch (error) {
      if (error instanceof SinkAwayError) waitForSink(taken);
      else taken.giveBack();
      if (error instanceof ChunkLostError) lose();
      else if (!(error instanceof SinkAwayError))
        deps.log.warn({ err: error, runId: run.id, chunk: chunk.chunk }, 'a flush failed; trying again');
      if (isRefused(error)) await writeSingly().catch(() => undefined);
    }
  };

  const tick = (): void => {
    if (phase === 'finishing' || phase === 'ended') return;
    const now = performance.now();
    if (lease.isEnding()) {
      // The next worker of the chunk must not overlap with our fetches. Finished outcomes are still written.
      stop('the lease ran out');
    } else if (phase === 'waiting for sink') {
      tickWaiting();
    } else {
      const sliceMs = now - startedAt;
      if (sliceMs > MAX_SLICE_MS || (asked.signal.aborted && sliceMs >= MIN_SLICE_MS)) yieldSlots();
      else proceed();
      tickTaking(now);
    }
  };
  const tickTaking = (now: number): void => {
    if (!isTaking()) return;
    const release = now - tasks.lastBegunAt() > TICK_MS && !flushing ? findRelease() : null;
    const isDue = state.count() >= TICK_COUNT || (state.count() > 0 && now - flushedAt >= FLUSH_MS);
    if (release || isDue || lease.isDue()) void flush(release);
  };
  const tickWaiting = (): void => {
    const release = findWaitingRelease();
    if ((release || lease.isDue()) && !renewing) {
      renewing = renew(release).finally(() => {
        renewing = null;
      });
      renewing.catch((error: unknown) => {
        if (error instanceof ChunkLostError) lose();
      });
    }
    if (sinkWait.isDue()) void flush(null);
  };

  /** What the last tasks need no longer: a slow one must hold neither slots nor tasks that others could have. */
  const findRelease = (): ChunkRelease | null => {
    if ((phase === 'working' && tasks.hasMore()) || tasks.underWay() === 0) return null;
    const left = tasks.unbegun();
    const isFewer = asked.signal.aborted ? tasks.underWay() < slots : tasks.underWay() <= slots / 2;
    return left.length > 0 || isFewer ? { slots: tasks.underWay(), left } : null;
  };
  /** Pages that wait for their sink need no slot, unless this process holds too many of them. */
  const findWaitingRelease = (): ChunkRelease | null => {
    const left = tasks.unbegun();
    const needed = sinkWait.mayReleaseSlots() ? tasks.underWay() : slots;
    return left.length > 0 || needed < slots ? { slots: needed, left } : null;
  };

  /** Ends the chunk in Postgres, unless its last outcomes must wait for the sink. */
  const finish = async (): Promise<void> => {
    if (phase === 'finishing' || phase === 'ended' || phase === 'waiting for sink') return;
    const isLost = phase === 'lost';
    phase = 'finishing';
    try {
      await Promise.race([flushing, ...(isStopped ? [delay(STOP_WITHIN_MS)] : [])]);
      if (!isLost) await writeLast();
      if (!isStopped) await followUp.ended();
    } catch (error) {
      if (error instanceof SinkAwayError && !stopped.signal.aborted) {
        phase = 'waiting for sink';
        return;
      }
      if (!(error instanceof ChunkLostError))
        deps.log.warn(
          { err: error, runId: run.id, chunk: chunk.chunk },
          'could not finish a chunk; it will run again',
        );
    }
    leave();
  };
  /** Tries for a while, as Postgres may be away. @throws SinkAwayError when the chunk may wait for its sink */
  const writeLast = async (): Promise<void> => {
    const until = performance.now() + FINISH_WITHIN_MS;
    for (;;) {
      if (isStopped && sinkWait.count() > 0) state.giveBackDone();
      const taken = state.take();
      try {
        await write(taken, (rows) => deps.writer.end(chunk, taken.outcomes(), state.end(), rows));
        const { retries, left } = state.end();
        hasFailed ||= taken.outcomes().failed.length > 0;
        const isMore = isWaitNoted || hasFailed || retries.length > 0 || left.length > 0;
        deps.freed({ account: chunk.accountId, ms: state.busyMs() - chunk.charge, isMore });
        hasFreed = true;
        followUp.start(taken.outcomes());
        return;
      } catch (error) {
        if (error instanceof SinkAwayError) {
          waitForSink(taken);
          if (!isStopped) throw error;
          state.giveBackDone();
          continue;
        }
        if (error instanceof ChunkLostError || performance.now() > until) throw error;
        taken.giveBack();
        if (isRefused(error)) await writeSingly();
        await delay(FINISH_PAUSE_MS);
      }
    }
  };
  const leave = (): void => {
    phase = 'ended';
    if (!hasFreed) deps.freed({ account: chunk.accountId, ms: 0, isMore: false });
    clearInterval(ticking);
    sinkWait.end();
    stopped.signal.removeEventListener('abort', onStopped);
    asked.signal.removeEventListener('abort', onAsked);
    stopped.forget();
    asked.forget();
    ended.resolve();
  };

  const onStopped = (): void => {
    // We abort only when we stop or lose the chunk; any other abort is the run's cancellation.
    if (phase !== 'stopping') lose();
    proceed();
  };
  const onAsked = (): void => {
    // A chunk that waits for the slots of this worker can give back all of it.
    if (tasks.underWay() === 0 || performance.now() - startedAt >= MIN_SLICE_MS) yieldSlots();
  };
  stopped.signal.addEventListener('abort', onStopped);
  asked.signal.addEventListener('abort', onAsked);
  const ticking = setInterval(tick, TICK_MS);
  proceed();
  return {
    ended: ended.promise,
    yieldSlots,
    stop,
    demand: () => (phase === 'working' && tasks.hasMore() ? slots : tasks.underWay()),
    waitsForSink: () => phase === 'waiting for sink',
  };
}
