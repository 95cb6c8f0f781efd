import type { StoredError } from '@gleaner/contracts';
import {
  inputAddress,
  type Carried,
  type ChildMaker,
  type ChunkEnd,
  type ChunkOutcomes,
  type RunSpec,
  type TakenChunk,
  type TaskOutcome,
} from '@gleaner/core';
import type { ChunkProgress } from './chunk-progress.ts';
import {
  emptyBuffer,
  joinBuffers,
  splitBuffer,
  toChunkOutcomes,
  type DoneTask,
  type FailedTask,
  type OutcomeBuffer,
} from './outcome-buffer.ts';
import { canHeal, mayWait, planRetries, type Failure } from './plan-retries.ts';

/** Outcomes that are being written; they return to the buffer on failure. */
export interface TakenOutcomes {
  done: () => readonly DoneTask[];
  refuse: (refused: ReadonlyMap<DoneTask, StoredError>) => void;
  /** The outcomes after refusals. */
  outcomes: () => ChunkOutcomes;
  giveBack: () => void;
  /** Makes failures of all of them, because Postgres refuses what they hold. */
  replace: (error: StoredError) => void;
  /** They are written. */
  settle: () => void;
}

/** The outcomes of a chunk's tasks so far. Each task has at most one outcome or one retry. */
export interface ChunkState {
  readonly busyMs: () => number;
  /** Outcomes that are not written yet. */
  readonly count: () => number;
  readonly answerLength: () => number;
  /** Whether an outcome that is not written gives inputs to further stages: they wait for it. */
  readonly hasChildren: () => boolean;
  take: () => TakenOutcomes;
  /** Takes the outcome of one task, with what it says of the parser; undefined when there is none. */
  takeOne: () => TakenOutcomes | undefined;
  add: (place: number, outcome: TaskOutcome, elapsedMs: number) => void;
  /** Drops all successes that are not written. Their tasks are returned as if they had not begun. */
  giveBackDone: () => void;
  /** Tasks that are in another chunk now. */
  remove: (seqs: readonly number[]) => void;
  end: () => ChunkEnd;
}

export interface ChunkStateInput {
  chunk: TakenChunk;
  run: RunSpec;
  progress: ChunkProgress;
  /** Called once per ended attempt: `succeeded` or the error's code. */
  count: (outcome: string) => void;
  /** Of a stage of a workflow run. */
  follow?: Follow | undefined;
}

/** What a stage's tasks keep of their ancestors and give to further stages. */
export interface Follow {
  makeChildren: ChildMaker;
  /** One per task; empty when the stage needs none. */
  carried: readonly Carried[];
}

/**
 * Converts a time of this machine's clock to performance.now()'s clock, which clock corrections don't change. The page
 * was fetched within the `elapsedMs` of its task.
 */
function monotonicTime(iso: string, elapsedMs: number): number {
  const age = Date.now() - Date.parse(iso);
  return performance.now() - Math.min(Math.max(age, 0), elapsedMs);
}

export function createChunkState({ chunk, run, progress, count, follow }: ChunkStateInput): ChunkState {
  const hasEnded = new Uint8Array(chunk.seqs.length);
  const keepsAnswers = run.mode === 'return';
  const retries: Failure[] = [];
  const placeOf = new Map(chunk.seqs.map((seq, place) => [seq, place]));
  let buffer: OutcomeBuffer = emptyBuffer();
  /** Taken, and neither settled nor given back. */
  const beingWritten = new Set<TakenOutcomes>();
  let busyMs = 0;

  const follows = (
    place: number,
    answer: string,
    finalUrl: string,
  ): Pick<DoneTask, 'carried' | 'children'> => {
    if (!follow) return {};
    const carried = follow.carried[place] ?? {};
    const columns = run.stage?.columns ?? [];
    return {
      carried: Object.fromEntries(columns.map(({ column, from }) => [column, carried[from] ?? null])),
      children: follow.makeChildren({ data: JSON.parse(answer), finalUrl, carried }),
    };
  };

  const fail = ({ seq, error, phases }: FailedTask, retryAfterMs?: number): void => {
    count(error.code);
    progress.failed(seq, error);
    if (canHeal(error) && chunk.tries < run.retries) retries.push({ seq, retryAfterMs });
    else buffer.failed.push({ seq, error, phases });
  };

  /** @param taken is no longer in the buffer */
  const hold = (outcomes: OutcomeBuffer): TakenOutcomes => {
    let taken = outcomes;
    const handle: TakenOutcomes = {
      done: () => taken.done,
      refuse: (refused) => {
        taken = { ...taken, done: taken.done.filter((task) => !refused.has(task)) };
        for (const [{ seq, phases }, error] of refused)
          fail({ seq, error, phases }, (error.retryAfterSeconds ?? 0) * 1_000);
        // Failures found just now are written with the rest.
        taken.failed = taken.failed.concat(buffer.failed);
        buffer.failed = [];
      },
      outcomes: () => toChunkOutcomes(taken, run, keepsAnswers),
      giveBack: () => {
        if (beingWritten.delete(handle)) buffer = joinBuffers(taken, buffer);
      },
      settle: () => {
        beingWritten.delete(handle);
      },
      replace: (error) => {
        const seqs = [...taken.done, ...taken.failed].map(({ seq }) => seq);
        taken = { ...emptyBuffer(), failed: seqs.map((seq) => ({ seq, error })) };
      },
    };
    beingWritten.add(handle);
    return handle;
  };

  return {
    busyMs: () => busyMs,
    count: () => buffer.done.length + buffer.failed.length,
    answerLength: () => buffer.answerLength,
    hasChildren: () => buffer.done.some(({ children = [] }) => children.length > 0),
    add: (place, outcome, elapsedMs) => {
      const seq = chunk.seqs[place] ?? -1;
      const input = chunk.inputs[place] ?? '';
      hasEnded[place] = 1;
      if (!outcome.ok && outcome.isHostBusy === true && mayWait(run.no, outcome.retryAfterMs, Date.now())) {
        retries.push({ seq, retryAfterMs: outcome.retryAfterMs, isHostBusy: true });
        return;
      }
      busyMs += elapsedMs;
      if (!outcome.ok) {
        fail({ seq, error: outcome.error, phases: outcome.phases }, outcome.retryAfterMs);
        if (outcome.seen !== undefined) buffer.seen.push(outcome.seen);
        return;
      }
      const url = inputAddress(run.target, input);
      buffer.done.push({
        seq,
        answer: outcome.answer,
        url,
        fetchedAt:
          outcome.ageMs === undefined
            ? monotonicTime(outcome.fetchedAt, elapsedMs)
            : performance.now() - outcome.ageMs,
        // The rows of large runs stay small: only a job's page shows how its task went.
        ...(run.kind === 'job' ? { phases: outcome.phases } : {}),
        ...follows(place, outcome.answer, outcome.finalUrl),
        ...(outcome.held === undefined || outcome.seen === undefined
          ? {}
          : { held: { ...outcome.held, host: outcome.seen.host } }),
      });
      if (outcome.seen !== undefined) buffer.seen.push(outcome.seen);
      buffer.answerLength += outcome.answer.length;
      progress.succeeded();
      count('succeeded');
    },
    remove: (seqs) => {
      const gone = new Set(seqs);
      for (const [place, seq] of chunk.seqs.entries()) if (gone.has(seq)) hasEnded[place] = 1;
    },
    take: () => {
      const taken = buffer;
      buffer = emptyBuffer();
      return hold(taken);
    },
    takeOne: () => {
      const [one, rest] = splitBuffer(buffer);
      if (one === undefined) return undefined;
      buffer = rest;
      return hold(one);
    },
    giveBackDone: () => {
      for (const handle of beingWritten) handle.giveBack();
      for (const { seq } of buffer.done) {
        const place = placeOf.get(seq);
        if (place !== undefined) hasEnded[place] = 0;
      }
      buffer = { ...emptyBuffer(), failed: buffer.failed };
    },
    end: () => ({
      retries: planRetries(retries, chunk.tries, Math.random()),
      left: chunk.seqs.filter((_, place) => hasEnded[place] === 0),
      busyMs,
    }),
  };
}
