import { AppError, toStoredError, type StoredError } from '@gleaner/contracts';
import {
  carriedColumns,
  inputAddress,
  type Carried,
  type ChunkEnd,
  type DatabaseClock,
  type RunSpec,
  type TakenChunk,
  type TaskOutcome,
} from '@gleaner/core';
import { batchQueue } from '@gleaner/queue';
import type { ChunkProgress, Follow } from './chunk-work.ts';
import { createLeftHosts } from './left-hosts.ts';
import {
  canHeal,
  isFailure,
  isSuccess,
  mayWait,
  planRetries,
  writeLength,
  type EndedTask,
  type Failure,
  type Success,
} from './ended-task.ts';

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
  /** Length of what their write needs, in UTF-16 units. */
  readonly answerLength: () => number;
  /** The same, with those that are being written. */
  readonly heldLength: () => number;
  /** Whether one write takes all of them. @param most tasks of one write */
  readonly mayTakeAll: (most: number) => boolean;
  /** Whether one of them gives inputs to further stages, or links to its crawl: they wait for it. */
  readonly hasChildren: () => boolean;
  /** As many as one write takes. @param most default: no limit */
  take: (most?: number) => TakenTasks;
  /** These successes failed after all. */
  refuse: (taken: TakenTasks, refused: ReadonlyMap<EndedTask, StoredError>) => void;
  /** They are written, or `left` of them are not. */
  settle: (taken: TakenTasks, left?: readonly EndedTask[]) => void;
  /** @param carried what the task keeps of its ancestors */
  add: (place: number, outcome: TaskOutcome, elapsedMs: number, carried?: Carried) => void;
  /** Drops all successes that are not written. Their tasks are returned as if they had not begun. */
  giveBackDone: () => void;
  /** Tasks that are in another chunk now. */
  remove: (seqs: readonly number[]) => void;
  end: () => ChunkEnd;
}

export interface ChunkStateInput {
  chunk: TakenChunk;
  run: RunSpec;
  clock: DatabaseClock;
  progress: ChunkProgress;
  /** Called once per ended attempt: `succeeded` or the error's code. */
  count: (outcome: string) => void;
  /** Absent when tasks keep and give nothing. */
  follow?: Follow | undefined;
}

/**
 * What a success gives to further stages, and keeps of its ancestors.
 * @throws AppError extraction_failed: it gives too much
 */
function followUp(
  { run, follow }: Pick<ChunkStateInput, 'run' | 'follow'>,
  { answer, finalUrl }: TaskOutcome & { ok: true },
  carried: Carried,
): Pick<Success, 'carried' | 'children'> {
  if (!follow) return {};
  const { makeChildren } = follow;
  return {
    carried: Object.fromEntries(
      carriedColumns(run).map(({ column, from }) => [column, carried[from] ?? null]),
    ),
    children: makeChildren?.({ data: JSON.parse(answer), finalUrl, carried }),
  };
}

/** The outcome with what it gives to further stages; a failure when that is too much. */
function tryFollow(
  input: Pick<ChunkStateInput, 'run' | 'follow'>,
  outcome: TaskOutcome,
  carried: Carried,
): { outcome: TaskOutcome; up: Pick<Success, 'carried' | 'children'> } {
  if (!outcome.ok || outcome.children !== undefined) return { outcome, up: {} };
  try {
    return { outcome, up: followUp(input, outcome, carried) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { phases, seen, fetched, page, fields } = outcome;
    return {
      outcome: { ok: false, error: toStoredError(error), phases, seen, fetched, page, fields },
      up: {},
    };
  }
}

/** UTF-16 units of one write; a larger task is written alone. */
const MOST_WRITTEN = 16 * 1024 * 1024;

function taskLength({ success, fetched }: EndedTask): number {
  return (success?.length ?? 0) + (fetched?.links?.length ?? 0);
}

/** How many of the tasks one write takes. */
function countWritten(tasks: readonly EndedTask[], most: number): number {
  let length = 0;
  const end = tasks.findIndex((task, index) => {
    length += taskLength(task);
    return index >= most || (index > 0 && length > MOST_WRITTEN);
  });
  return end < 0 ? tasks.length : end;
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
    sums.length += taskLength(task);
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
    heldLength: () => {
      let held = sums.length;
      for (const { tasks } of beingWritten) for (const task of tasks) held += taskLength(task);
      return held;
    },
    mayTakeAll: (most: number) => countWritten(waiting, most) === waiting.length,
    hasChildren: () => sums.parents > 0,
    waitedMs: () => (waiting.length === 0 ? 0 : performance.now() - since),
    keep,
    settle,
    take: (most = Infinity): TakenTasks => {
      const taken = { tasks: waiting.slice(0, countWritten(waiting, most)) };
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

/** Whether a failure leaves its task as if it had not been tried. */
function staysUncounted(run: string, outcome: Extract<TaskOutcome, { ok: false }>): boolean {
  return (
    outcome.isUncounted === true &&
    (outcome.isPaced === true || mayWait(run, outcome.retryAfterMs, Date.now()))
  );
}

/** Where a task goes on, by a dearer way. */
function climbTo({ config: { ways } }: RunSpec, way: number, isUntried?: boolean): Failure['climb'] {
  return { way, isUntried, queue: batchQueue(ways?.[way]?.useBrowser === true ? 'browser' : 'http') };
}

/** How a task is tried again that loses no attempt: by another way, or when its host takes it. */
function uncountedRetry(run: RunSpec, seq: number, outcome: TaskOutcome): Failure | undefined {
  if (outcome.ok) return undefined;
  const { error, next, isUntried, retryAfterMs, redirected, isOwnPace: joins } = outcome;
  if (next !== undefined) return { seq, error, isUncounted: true, climb: climbTo(run, next, isUntried) };
  if (!staysUncounted(run.no, outcome)) return undefined;
  return { seq, error, retryAfterMs, redirected, joins, isUncounted: true };
}

function resultOf(
  outcome: TaskOutcome & { ok: true },
): Pick<Success, 'answer' | 'price' | 'fetchedAt' | 'held' | 'relative'> {
  const { answer, price, held, relative, fetchedAt } = outcome;
  return { answer, price, held, relative, fetchedAt };
}

export function createChunkState(input: ChunkStateInput): ChunkState {
  const { chunk, run, clock, progress, count } = input;
  const left = new Set(chunk.seqs);
  const retries: Failure[] = [];
  const { keep, dropSuccesses, ...unwritten } = createUnwritten();
  const leftHosts = createLeftHosts(run);
  let busyMs = 0;
  let ended = 0;

  const fail = (
    { seq, phases, seen, fetched, askedAt }: EndedTask,
    error: StoredError,
    retryAfterMs: number | undefined,
  ): EndedTask => {
    count(error.code);
    progress.failed(seq, error);
    if (!canHeal(error) || chunk.tries >= run.retries) return { seq, error, phases, seen, fetched, askedAt };
    retries.push({ seq, error, retryAfterMs });
    return { seq, seen };
  };

  return {
    ...unwritten,
    busyMs: () => busyMs,
    meanMs: () => busyMs / ended,
    add: (place, given, elapsedMs, carried = {}) => {
      const { outcome, up } = tryFollow(input, given, carried);
      const seq = chunk.seqs[place] ?? -1;
      left.delete(seq);
      leftHosts.add(chunk.inputs[place] ?? '', outcome);
      const retry = uncountedRetry(run, seq, outcome);
      if (retry !== undefined) retries.push(retry);
      if (retry !== undefined && retry.climb === undefined) return;
      busyMs += elapsedMs;
      ended += 1;
      if (retry !== undefined) return;
      const { phases, seen, fetched } = outcome;
      if (!outcome.ok) {
        const askedAt = new Date(clock.now() - elapsedMs).toISOString();
        keep(fail({ seq, phases, seen, fetched, askedAt }, outcome.error, outcome.retryAfterMs));
        return;
      }
      const success: Omit<Success, 'length'> = {
        ...resultOf(outcome),
        url: inputAddress(run.target, chunk.inputs[place] ?? ''),
        ...(outcome.children === undefined ? up : { children: outcome.children }),
      };
      // The rows of large runs stay small: only a job's page shows how its task went.
      keep({
        seq,
        success: { ...success, length: writeLength(run, success) },
        seen,
        fetched,
        phases: run.kind === 'job' ? phases : undefined,
      });
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
      // What is left goes on at once.
      wake: left.size === 0 ? leftHosts.wake() : undefined,
    }),
  };
}
