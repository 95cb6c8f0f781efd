import { LRUCache } from 'lru-cache';
import { createChildMaker, type ChildMaker, type Config, type RunSpec } from '@gleaner/core';

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
