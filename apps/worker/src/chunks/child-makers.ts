import { createChildMaker, type ChildMaker, type Config, type RunSpec } from '@gleaner/core';

const MAX_ENTRIES = 200;

/** Compiles the paths of stages; a worker keeps them for all chunks of a stage. */
export function createChildMakers(sites: Config['sites']): (run: RunSpec) => ChildMaker {
  const known = new Map<string, ChildMaker>();
  return (run) => {
    const found = known.get(run.no);
    if (found) return found;
    if (!run.stage) throw new Error(`run ${run.id} is not a stage`);
    const [oldest] = known.keys();
    if (known.size >= MAX_ENTRIES && oldest !== undefined) known.delete(oldest);
    const maker = createChildMaker(run.stage, sites);
    known.set(run.no, maker);
    return maker;
  };
}
