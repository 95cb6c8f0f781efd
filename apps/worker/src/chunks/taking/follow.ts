import { LRUCache } from 'lru-cache';
import {
  carriedColumns,
  createChildMaker,
  needsCarried,
  readCarried,
  type ChildMaker,
  type Config,
  type RunSpec,
  type TakenChunk,
} from '@gleaner/core';
import type { ChunkDeps, Follow } from '../running/chunk-work.ts';

const MAX_ENTRIES = 200;

/** Compiles the paths of stages; a worker keeps them for all chunks of a stage. */
export function createChildMakers(sites: Config['sites']): (run: RunSpec) => ChildMaker {
  const makers = new LRUCache<string, ChildMaker, RunSpec>({
    max: MAX_ENTRIES,
    memoMethod: (_no, _stale, { context: { id, stage } }) => {
      if (!stage) throw new Error(`run ${id} is not a stage`);
      return createChildMaker(stage, sites);
    },
  });
  return (run) => makers.memo(run.no, { context: run });
}

/** What a chunk gives to further stages, with the values that its tasks carry there; of other runs, the values for their sink. */
export async function readFollow(
  deps: Pick<ChunkDeps, 'db' | 'childMakerOf' | 'readCarriedValues'>,
  chunk: TakenChunk,
  run: RunSpec,
): Promise<Follow | undefined> {
  const isNeeded = run.stage
    ? needsCarried(run.stage)
    : run.mode === 'database' && carriedColumns(run).length > 0;
  if (!isNeeded && !run.stage) return undefined;
  const stored = isNeeded ? await readCarried(deps, chunk) : [];
  return {
    makeChildren: run.stage ? deps.childMakerOf(run) : undefined,
    carriedOf: async (place) => {
      const own = stored[place];
      return own === undefined ? {} : deps.readCarriedValues(run.no, own);
    },
  };
}
