import type { StoredError } from '@gleaner/contracts';
import {
  inputAddress,
  type Carried,
  type ChildMaker,
  type ChunkEnd,
  type RunSpec,
  type TakenChunk,
  type TaskOutcome,
} from '@gleaner/core';
import type { ChunkProgress } from './chunk-progress.ts';
import { isFailure, isSuccess, type EndedTask, type Success } from './ended-task.ts';
import { canHeal, mayWait, planRetries, type Failure } from './plan-retries.ts';

/** Ended tasks that are being written. */
export interface TakenTasks {
  tasks: readonly EndedTask[];
}

/** The outcomes of a chunk's tasks so far. Each task has at most one outcome or one retry. */
export interface ChunkState {
  readonly busyMs: () => number;
  /** How long a task took, on average. */
  readonly meanMs: () => number;
  /** Outcomes that are not written yet. */
  readonly count: () => number;
  /** Whether nothing is to be written, nor what tasks to be tried again say of their parser. */
  readonly isEmpty: () => boolean;
  /** How long the oldest of them has waited; 0 without one. */
  readonly waitedMs: () => number;
  /** Length of their answers, in UTF-16 units. */
  readonly answerLength: () => number;
  /** Whether one of them gives inputs to further stages, or links to its crawl: they wait for it. */
  readonly hasChildren: () => boolean;
  /** @param most default: all */
  take: (most?: number) => TakenTasks;
  /** These successes failed after all. */
  refuse: (taken: TakenTasks, refused: ReadonlyMap<EndedTask, StoredError>) => void;
  /** They are written, or `left` of them are not. */
  settle: (taken: TakenTasks, left?: readonly EndedTask[]) => void;
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
 * When a page was fetched, on performance.now()'s clock, which clock corrections don't change. It was fetched within the
 * `elapsedMs` of its task.
 */
function fetchTime({ ageMs, fetchedAt }: TaskOutcome & { ok: true }, elapsedMs: number): number {
  const age = ageMs ?? Math.min(Math.max(Date.now() - Date.parse(fetchedAt), 0), elapsedMs);
  return performance.now() - age;
}

/** What a success gives to further stages, and keeps of its ancestors. */
function followUp(
  { run, follow }: Pick<ChunkStateInput, 'run' | 'follow'>,
  place: number,
  { answer, finalUrl }: TaskOutcome & { ok: true },
): Pick<Success, 'carried' | 'children'> {
  if (!follow) return {};
  const carried = follow.carried[place] ?? {};
  const columns = run.stage?.columns ?? [];
  return {
    carried: Object.fromEntries(columns.map(({ column, from }) => [column, carried[from] ?? null])),
    children: follow.makeChildren({ data: JSON.parse(answer), finalUrl, carried }),
  };
}

/** Ended tasks that are not written yet, with their sums: they are asked for after each task. */
function createUnwritten() {
  let waiting: EndedTask[] = [];
  let sums = { outcomes: 0, length: 0, parents: 0 };
  /** When the first of them ended, or was last tried to be written. */
  let since = 0;
  const beingWritten = new Set<TakenTasks>();
  const add = (task: EndedTask): void => {
    const { success, fetched } = task;
    waiting.push(task);
    if (isSuccess(task) || isFailure(task)) sums.outcomes += 1;
    sums.length += (success?.answer.length ?? 0) + (fetched?.links?.length ?? 0);
    if (fetched !== undefined || (success?.children ?? []).length > 0) sums.parents += 1;
  };
  const setWaiting = (tasks: readonly EndedTask[]): void => {
    waiting = [];
    sums = { outcomes: 0, length: 0, parents: 0 };
    for (const task of tasks) add(task);
  };
  const keep = (task: EndedTask): void => {
    if (waiting.length === 0) since = performance.now();
    add(task);
  };
  const settle = (taken: TakenTasks, left: readonly EndedTask[] = []): void => {
    if (beingWritten.delete(taken)) for (const task of left) keep(task);
  };
  return {
    count: () => sums.outcomes,
    isEmpty: () => waiting.length === 0,
    answerLength: () => sums.length,
    hasChildren: () => sums.parents > 0,
    waitedMs: () => (waiting.length === 0 ? 0 : performance.now() - since),
    keep,
    settle,
    take: (most = Infinity): TakenTasks => {
      const taken = { tasks: waiting.slice(0, most) };
      setWaiting(waiting.slice(taken.tasks.length));
      beingWritten.add(taken);
      return taken;
    },
    /** Takes the successes away, also those that are being written. */
    dropSuccesses: (): EndedTask[] => {
      for (const taken of beingWritten) settle(taken, taken.tasks);
      const dropped = waiting.filter(isSuccess);
      setWaiting(waiting.filter((task) => !isSuccess(task)));
      return dropped;
    },
  };
}

export function createChunkState({ chunk, run, progress, count, follow }: ChunkStateInput): ChunkState {
  const left = new Set(chunk.seqs);
  const retries: Failure[] = [];
  const { keep, dropSuccesses, ...unwritten } = createUnwritten();
  let busyMs = 0;
  let ended = 0;

  const fail = (
    { seq, phases, seen, fetched }: EndedTask,
    error: StoredError,
    retryAfterMs: number | undefined,
  ): EndedTask => {
    count(error.code);
    progress.failed(seq, error);
    if (!canHeal(error) || chunk.tries >= run.retries) return { seq, error, phases, seen, fetched };
    retries.push({ seq, error, retryAfterMs });
    return { seq, seen };
  };

  return {
    ...unwritten,
    busyMs: () => busyMs,
    meanMs: () => busyMs / ended,
    add: (place, outcome, elapsedMs) => {
      const seq = chunk.seqs[place] ?? -1;
      left.delete(seq);
      if (
        !outcome.ok &&
        outcome.isUncounted === true &&
        (outcome.isPaced === true || mayWait(run.no, outcome.retryAfterMs, Date.now()))
      ) {
        retries.push({ seq, error: outcome.error, retryAfterMs: outcome.retryAfterMs, isUncounted: true });
        return;
      }
      busyMs += elapsedMs;
      ended += 1;
      const { phases, seen, fetched } = outcome;
      if (!outcome.ok) {
        keep(fail({ seq, phases, seen, fetched }, outcome.error, outcome.retryAfterMs));
        return;
      }
      const success: Success = {
        answer: outcome.answer,
        url: inputAddress(run.target, chunk.inputs[place] ?? ''),
        fetchedAt: fetchTime(outcome, elapsedMs),
        held: outcome.held,
        ...(outcome.children === undefined
          ? followUp({ run, follow }, place, outcome)
          : { children: outcome.children }),
      };
      // The rows of large runs stay small: only a job's page shows how its task went.
      keep({ seq, success, seen, fetched, phases: run.kind === 'job' ? phases : undefined });
      progress.succeeded();
      count('succeeded');
    },
    remove: (seqs) => {
      for (const seq of seqs) left.delete(seq);
    },
    refuse: (taken, refused) => {
      taken.tasks = taken.tasks.map((task) => {
        const error = refused.get(task);
        return error === undefined ? task : fail(task, error, (error.retryAfterSeconds ?? 0) * 1_000);
      });
    },
    giveBackDone: () => {
      for (const { seq } of dropSuccesses()) left.add(seq);
    },
    end: () => ({
      retries: planRetries(retries, chunk.tries, Math.random()),
      left: [...left].toSorted((one, other) => one - other),
      busyMs,
    }),
  };
}
