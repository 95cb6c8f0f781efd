import { AppError, toStoredError, type StoredError } from '@gleaner/contracts';
import {
  addCounts,
  ChunkLostError,
  mayBeOneRow,
  type ChunkOutcomes,
  type RowCounts,
  type RunSpec,
  type SettledRows,
  type SinkWriter,
  CHUNK_LEASE_MS,
} from '@gleaner/core';
import { errorCodeOf, isTransientError, PG_ERRORS } from '@gleaner/db';
import type { ChunkState, TakenTasks } from './chunk-state.ts';
import type { ChunkDeps } from './chunk-work.ts';
import { isSuccess, toOutcomes, type EndedTask } from './ended-task.ts';
import { LARGE_WRITE } from '../../load/large-writes.ts';

/** The part of a lease after which it is renewed, and the part before its end at which a worker stops itself. */
const RENEWED_AFTER = 1 / 3;
const MARGIN = 1 / 4;
/** The length of a renewal while slow rows are written. */
const RENEW_WITHIN_MS = 60_000;

/** The lease of a chunk, on performance.now()'s clock. */
export interface HeldLease {
  /** Whether no task may begin, because another worker may soon own the chunk. */
  isEnding: () => boolean;
  isDue: () => boolean;
  /** Records a renewal by a statement that was sent at this time. */
  extend: (sentAt: number) => void;
  /** Renews the lease during a write that may take longer than a lease. */
  keepWhile: <T>(write: () => Promise<T>) => Promise<T>;
}

/** @param renew extends the lease in Postgres; returns whether this worker still holds the chunk */
export function holdLease(
  leasedAt: number,
  renew: () => Promise<boolean>,
  leaseMs = CHUNK_LEASE_MS,
): HeldLease {
  const renewMs = leaseMs * RENEWED_AFTER;
  let until = leasedAt + leaseMs;
  let renewedAt = leasedAt;

  const extend = (sentAt: number): void => {
    until = Math.max(until, sentAt + leaseMs);
    renewedAt = Math.max(renewedAt, sentAt);
  };
  const renewOnce = async (): Promise<void> => {
    const sentAt = performance.now();
    try {
      if (await renew()) extend(sentAt);
    } catch {
      // The running write reports the reason.
    }
  };

  return {
    isEnding: () => performance.now() > until - leaseMs * MARGIN,
    isDue: () => performance.now() - renewedAt > renewMs,
    extend,
    keepWhile: async (write) => {
      const stopAt = performance.now() + RENEW_WITHIN_MS;
      const renewing = setInterval(() => {
        if (performance.now() > stopAt) clearInterval(renewing);
        else void renewOnce();
      }, renewMs);
      try {
        return await write();
      } finally {
        clearInterval(renewing);
      }
    },
  };
}

const MAX_TRIES = 5;
const UNSTORABLE = { code: 'internal', detail: 'the result could not be stored' } as const;
const TOO_SLOW = {
  code: 'extraction_failed',
  detail: 'the database did not store its result in time: it is too large, or the table is too slow',
  retryable: false,
} as const;

/** The engine's part of a write: what is left after refusals, with the rows of a managed table. */
export type Commit<T> = (outcomes: ChunkOutcomes, rows?: SettledRows) => Promise<T>;

type SinkRow = Parameters<SinkWriter['writeExternal']>[0][number];

/** The sink's database is unavailable. Nothing was written, and the same outcomes can be written later. */
export class SinkAwayError extends Error {
  constructor(cause: unknown) {
    super('the database of the sink is unavailable', { cause });
    this.name = 'SinkAwayError';
  }
}

/** Whether a value of some outcome may be why Postgres refuses a statement. */
export function isRefused(error: unknown): boolean {
  return mayBeOneRow(error) && !(error instanceof ChunkLostError);
}

/** Whether a statement, or the connection that sent it, took longer than it may. */
function isTimeout(error: unknown): boolean {
  if (errorCodeOf(error) === PG_ERRORS.queryCanceled) return true;
  return error instanceof Error && error.cause !== undefined && isTimeout(error.cause);
}

function lengthOf({ tasks }: TakenTasks): number {
  return tasks.reduce((sum, { success }) => sum + (success?.length ?? 0), 0);
}

interface TaskWritesInput {
  deps: Pick<ChunkDeps, 'openSink' | 'log' | 'largeWrites'>;
  run: RunSpec;
  state: ChunkState;
  lease: Pick<HeldLease, 'keepWhile'>;
  /** Outcomes are kept when the sink's database is away (SinkAwayError); otherwise their tasks fail. */
  keepsOutcomes: () => boolean;
  onWritten: (outcomes: ChunkOutcomes) => void;
  onSinkAway: () => void;
}

/**
 * Writes ended tasks, as many as one write takes, with their rows. What can't be written is in the state again.
 * @throws SinkAwayError, ChunkLostError, or what else prevents it. A task that is written alone and that Postgres refuses
 * becomes a failure.
 */
export interface TaskWriter {
  <T>(commit: Commit<T>, most?: number): Promise<T>;
  /** Whether the next write takes all that there is. */
  mayTakeAll(): boolean;
}

/** Rows of the tasks that fit the table, each with its task; the other tasks are refused. */
function makeRows(sink: SinkWriter, taken: TakenTasks, state: ChunkState): Map<SinkRow, EndedTask> {
  const rows = new Map<SinkRow, EndedTask>();
  const refused = new Map<EndedTask, StoredError>();
  for (const task of taken.tasks.filter(isSuccess)) {
    const { url, fetchedAt, answer, carried, relative, held } = task.success;
    if (held !== undefined) continue;
    const made = sink.toRows({ url, fetchedAt, data: JSON.parse(answer) as unknown, carried, relative });
    if ('error' in made) refused.set(task, made.error);
    else for (const row of made.rows) rows.set(row, task);
  }
  state.refuse(taken, refused);
  return rows;
}

/** The tasks whose rows have a fault. */
function tasksOf(
  faults: ReadonlyMap<SinkRow, StoredError>,
  rows: ReadonlyMap<SinkRow, EndedTask>,
): Map<EndedTask, StoredError> {
  const refused = new Map<EndedTask, StoredError>();
  for (const [row, error] of faults) {
    const task = rows.get(row);
    if (task) refused.set(task, error);
  }
  return refused;
}

function failAll(taken: TakenTasks, error: StoredError): void {
  taken.tasks = taken.tasks.map(({ seq, fetched }) => ({ seq, error, fetched }));
}

export function createTaskWriter(input: TaskWritesInput): TaskWriter {
  const { deps, run, state, lease } = input;

  /** Rows of a managed table travel with the outcomes in one statement: either both are there or neither. */
  const writeTo = async <T>(
    sink: SinkWriter,
    taken: TakenTasks,
    send: (rows?: SettledRows, counts?: RowCounts) => Promise<T>,
  ): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      // Another chunk of the run may have found the table changed, which may change what fits.
      await sink.prepare();
      const rows = makeRows(sink, taken, state);
      try {
        if (sink.kind === 'managed')
          return await send(rows.size > 0 ? sink.settledRows([...rows.keys()]) : undefined);
        const counts: RowCounts[] = [];
        const faults = await sink.writeExternal([...rows.keys()], (some) => counts.push(some));
        state.refuse(taken, tasksOf(faults, rows));
        return await send(undefined, addCounts(counts));
      } catch (error) {
        if (attempt >= MAX_TRIES || !(isTransientError(error) || (await sink.recover(error)))) throw error;
      }
    }
  };

  const sendWithRows = async <T>(taken: TakenTasks, commit: Commit<T>): Promise<T> => {
    const send = async (rows?: SettledRows, counts?: RowCounts): Promise<T> => {
      const outcomes = { ...toOutcomes(taken.tasks, run), ...(counts ? { rows: counts } : {}) };
      const result = await commit(outcomes, rows);
      input.onWritten(outcomes);
      return result;
    };
    if (run.mode !== 'database' || !taken.tasks.some(isSuccess)) return send();
    try {
      // A sink may be slower than a lease is long.
      return await lease.keepWhile(async () => writeTo(await deps.openSink(run), taken, send));
    } catch (error) {
      const isSmall = taken.tasks.length === 1 && lengthOf(taken) < LARGE_WRITE;
      if (!(error instanceof AppError) || (isTimeout(error) && !isSmall)) throw error;
      if (input.keepsOutcomes() && error.code === 'temporarily_unavailable') throw new SinkAwayError(error);
      // The sink can't be written: that is how these tasks ended.
      const fault = toStoredError(error);
      state.refuse(taken, new Map(taken.tasks.filter(isSuccess).map((task) => [task, fault])));
      return send();
    }
  };

  /** Tasks of one write: fewer after one that took too long, which is never sent again as it was. */
  let mostAtOnce = Infinity;
  const writeTaken = async <T>(taken: TakenTasks, commit: Commit<T>): Promise<T> => {
    const { length } = taken.tasks;
    try {
      const result = await sendWithRows(taken, commit);
      mostAtOnce *= 2;
      return result;
    } catch (error) {
      if (isTimeout(error) && length > 1) mostAtOnce = Math.ceil(length / 2);
      if (length !== 1 || !(isTimeout(error) || isRefused(error))) throw error;
      deps.log.warn({ err: error, runId: run.id }, 'Postgres refuses an outcome');
      failAll(taken, isTimeout(error) ? TOO_SLOW : UNSTORABLE);
      return sendWithRows(taken, commit);
    }
  };
  const write = async <T>(commit: Commit<T>, most = Infinity): Promise<T> => {
    const taken = state.take(Math.min(most, mostAtOnce));
    try {
      const result = await deps.largeWrites(run.accountId, lengthOf(taken), () => writeTaken(taken, commit));
      state.settle(taken);
      return result;
    } catch (error) {
      state.settle(taken, taken.tasks);
      if (error instanceof SinkAwayError) input.onSinkAway();
      throw error;
    }
  };
  return Object.assign(write, { mayTakeAll: () => state.mayTakeAll(mostAtOnce) });
}
