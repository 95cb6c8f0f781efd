import { LRUCache } from 'lru-cache';
import { carriedColumns, openRunSink, type RunSinkDeps, type RunSpec, type SinkWriter } from '@gleaner/core';

/** Writers of sinks that a worker keeps. */
const MOST_WRITERS = 200;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** The waiting tasks fail when the sink's database is unavailable for longer. */
const LONGEST_MS = 15 * 60_000;
/** UTF-16 units that chunks without a slot may hold in one process. */
const MAX_HELD_LENGTH = 32 * 1024 * 1024;

/** Opens the sinks of runs. A worker keeps one writer per run for all its chunks. */
export function createSinkOpener(deps: RunSinkDeps): (run: RunSpec) => Promise<SinkWriter> {
  const open = new LRUCache<string, SinkWriter, RunSpec>({
    max: MOST_WRITERS,
    ignoreFetchAbort: true,
    fetchMethod: (_no, _stale, { context: run }) => {
      const { id, accountId, target, sink, stage, source } = run;
      if (sink?.mode !== 'database') throw new Error(`run ${id} has no database`);
      return openRunSink(deps, {
        id: stage?.rootId ?? id,
        accountId,
        target,
        sink,
        source,
        carried: carriedColumns(run),
      });
    },
  });
  return (run) => open.forceFetch(run.no, { context: run });
}

/** Results that all chunks of this process hold while the databases of their sinks are unavailable. */
export interface HeldAnswers {
  change: (length: number) => void;
  /** Chunks that hold answers keep their slots then, so that their accounts fetch no more of them. */
  isFull: () => boolean;
}

export function createHeldAnswers(limit = MAX_HELD_LENGTH): HeldAnswers {
  let held = 0;
  return {
    change: (length) => {
      held += length;
    },
    isFull: () => held >= limit,
  };
}

/** A chunk's wait for its sink's database: the time of the next attempt, and the time limit. */
export interface SinkWait {
  /** Outcomes that wait: 0 when the chunk does not wait. */
  count: () => number;
  /** Call it after each write that failed because the database was unavailable. */
  begin: (count: number, answerLength: number) => void;
  end: () => void;
  isDue: () => boolean;
  /** False when it has waited as long as it may. */
  mayGoOn: () => boolean;
  mayReleaseSlots: () => boolean;
}

export function createSinkWait(held: HeldAnswers): SinkWait {
  let begunAt = 0;
  let pauseMs = 0;
  let nextTryAt = 0;
  let waiting = 0;
  let heldLength = 0;
  return {
    count: () => waiting,
    begin: (count, answerLength) => {
      const now = performance.now();
      if (waiting === 0) begunAt = now;
      pauseMs = waiting === 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, MAX_PAUSE_MS);
      // The delay is random, so that the chunks of one run don't retry together.
      nextTryAt = now + pauseMs * (0.75 + Math.random() / 2);
      waiting = Math.max(count, 1);
      held.change(answerLength - heldLength);
      heldLength = answerLength;
    },
    end: () => {
      waiting = 0;
      held.change(-heldLength);
      heldLength = 0;
    },
    isDue: () => performance.now() >= nextTryAt,
    mayGoOn: () => waiting === 0 || performance.now() - begunAt < LONGEST_MS,
    mayReleaseSlots: () => !held.isFull(),
  };
}
