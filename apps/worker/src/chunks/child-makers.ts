import { LRUCache } from 'lru-cache';
import { createChildMaker, type ChildMaker, type Config, type RunSpec } from '@gleaner/core';

const MAX_ENTRIES = 200;

/** Compiles the paths of stages; a worker keeps them for all chunks of a stage. */
export function createChildMakers(sites: Config['sites']): (run: RunSpec) => ChildMaker {
  const known = new LRUCache<string, ChildMaker>({ max: MAX_ENTRIES });
  return (run) => {
    if (!run.stage) throw new Error(`run ${run.id} is not a stage`);
    const maker = known.get(run.no) ?? createChildMaker(run.stage, sites);
    known.set(run.no, maker);
    return maker;
  };
}
