import type { Database } from '@gleaner/db';
import { nextRunNumber } from './create-run.ts';
import { createTaskLoader, type TaskLoader } from './load-tasks.ts';

/** Up to this many inputs stay in memory and are inserted by the creating transaction itself. */
const MAX_HELD = 1_000;

interface Line {
  line: string;
  carried: string | undefined;
}

/** Inputs of a run that does not exist yet: first held in memory, then, when there are too many, loaded as tasks. */
export interface StagedInputs {
  /** Returns a promise when the caller must wait for room. */
  add(line: string, carried?: string): Promise<void> | undefined;
  /** Completes the loading. */
  finish(): Promise<FinishedInputs>;
  /** Removes the loaded inputs. Only for a run that certainly will not exist. */
  discard(): Promise<void>;
}

export interface FinishedInputs {
  /** The lines in memory; undefined when all are loaded. */
  lines: string[] | undefined;
  /** The run's number: the given one, or that of the loaded tasks; undefined when it gets one of its creation. */
  no: string | undefined;
}

/** @param no the run's number, if it has one */
export function stageInputs(db: Database, no?: string): StagedInputs {
  let number = no;
  let loader: TaskLoader | undefined;
  let held: Line[] = [];
  const load = async (lines: readonly Line[]): Promise<void> => {
    number ??= await nextRunNumber(db);
    loader = createTaskLoader(db, number);
    for (const { line, carried } of lines) await loader.add(line, carried);
  };
  return {
    add: (line, carried) => {
      if (loader) return loader.add(line, carried);
      held.push({ line, carried });
      // The statement that creates runs takes lines alone.
      if (carried === undefined && held.length <= MAX_HELD) return undefined;
      const lines = held;
      held = [];
      return load(lines);
    },
    finish: async () => {
      await loader?.finish();
      return { lines: loader ? undefined : held.map(({ line }) => line), no: number };
    },
    discard: async () => loader?.discard(),
  };
}
