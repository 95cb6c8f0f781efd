import type { Database } from '@gleaner/db';
import { createTaskLoader } from './load-tasks.ts';

/** Up to this many inputs stay in memory and are inserted by the creating transaction itself. */
const MAX_HELD = 1_000;

/** Inputs of a run that does not exist yet: first held in memory, then, when there are too many, loaded as tasks. */
export interface StagedInputs {
  /** Returns a promise when the caller must wait for room. */
  add(line: string): Promise<void> | undefined;
  /** Completes the loading. @returns the lines in memory; undefined when all are loaded */
  finish(): Promise<string[] | undefined>;
  /** Removes the loaded inputs. Only for a run that certainly will not exist. */
  discard(): Promise<void>;
}

export function stageInputs(db: Database, no: string): StagedInputs {
  const loader = createTaskLoader(db, no);
  let held: string[] | undefined = [];
  const load = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) await loader.add(line);
  };
  return {
    add: (line) => {
      if (!held) return loader.add(line);
      held.push(line);
      if (held.length <= MAX_HELD) return undefined;
      const lines = held;
      held = undefined;
      return load(lines);
    },
    finish: async () => {
      if (!held) await loader.finish();
      return held;
    },
    discard: () => loader.discard(),
  };
}
