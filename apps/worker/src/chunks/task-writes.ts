import {
  ChunkLostError,
  mayBeOneRow,
  type ChunkOutcomes,
  type RunSpec,
  type SettledRows,
} from '@gleaner/core';
import type { ChunkState, TakenTasks } from './chunk-state.ts';
import type { ChunkDeps } from './chunk-work.ts';
import { toOutcomes } from './ended-task.ts';
import type { HeldLease } from './held-lease.ts';
import { SinkAwayError, writeOutcomes } from './write-outcomes.ts';

const UNSTORABLE = { code: 'internal', detail: 'its result could not be stored' } as const;

/** The engine's part of a write. */
type Commit<T> = (outcomes: ChunkOutcomes, rows?: SettledRows) => Promise<T>;

/** Whether a value of some outcome may be why Postgres refuses a statement. */
export function isRefused(error: unknown): boolean {
  return mayBeOneRow(error) && !(error instanceof ChunkLostError);
}

interface TaskWritesInput {
  deps: Pick<ChunkDeps, 'openSink' | 'log'>;
  run: RunSpec;
  state: ChunkState;
  lease: Pick<HeldLease, 'keepWhile'>;
  keepsOutcomes: () => boolean;
  onWritten: (outcomes: ChunkOutcomes) => void;
  onSinkAway: () => void;
  send: Commit<unknown>;
}

/** Writes ended tasks. What can't be written is in the state again. */
export function createTaskWrites(input: TaskWritesInput) {
  const { deps, run, state, lease, keepsOutcomes, onWritten, onSinkAway, send } = input;
  const openSink = run.mode === 'database' ? () => deps.openSink(run) : undefined;

  /** Sends tasks with their rows; a sink may be slower than a lease is long. */
  const sendWithRows = <T>(taken: TakenTasks, commit: Commit<T>): Promise<T> => {
    const act = (): Promise<T> =>
      writeOutcomes({
        openSink,
        keepsOutcomes: keepsOutcomes(),
        taken,
        refuse: state.refuse,
        commit: (rows) => commit(toOutcomes(taken.tasks, run), rows),
      });
    return openSink === undefined ? act() : lease.keepWhile(act);
  };
  /** @throws SinkAwayError, ChunkLostError, or what else prevents it; the state has the tasks again */
  const write = async <T>(taken: TakenTasks, act: () => Promise<T>): Promise<T> => {
    try {
      const result = await act();
      state.settle(taken);
      onWritten(toOutcomes(taken.tasks, run));
      return result;
    } catch (error) {
      state.settle(taken, taken.tasks);
      if (error instanceof SinkAwayError) onSinkAway();
      throw error;
    }
  };
  /** Writes each task alone. What Postgres refuses even so becomes a failure of its task. */
  const writeSingly = async (): Promise<void> => {
    for (let taken = state.take(1); taken.tasks.length > 0; taken = state.take(1)) {
      const one = taken;
      await write(one, async () => {
        try {
          return await sendWithRows(one, send);
        } catch (error) {
          if (!isRefused(error)) throw error;
          deps.log.error({ err: error, runId: run.id }, 'Postgres refuses an outcome');
          one.tasks = one.tasks.map(({ seq }) => ({ seq, error: UNSTORABLE }));
          return sendWithRows(one, send);
        }
      });
    }
  };
  return { sendWithRows, write, writeSingly };
}
