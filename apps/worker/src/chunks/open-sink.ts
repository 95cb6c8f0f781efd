import { LRUCache } from 'lru-cache';
import { openRunSink, type RunSinkDeps, type RunSpec, type SinkWriter } from '@gleaner/core';

const MAX_ENTRIES = 200;

/** Opens the sinks of runs. A worker keeps one writer per run for all its chunks. */
export function createSinkOpener(deps: RunSinkDeps): (run: RunSpec) => Promise<SinkWriter> {
  const open = new LRUCache<string, Promise<SinkWriter>>({ max: MAX_ENTRIES });
  return (run) => {
    const known = open.get(run.no);
    if (known) return known;
    const { sink } = run;
    if (sink?.mode !== 'database') throw new Error(`run ${run.id} has no database`);
    const opening = openRunSink(deps, {
      id: run.stage?.rootId ?? run.id,
      accountId: run.accountId,
      target: run.target,
      sink,
      carried: run.stage?.columns,
    });
    opening.catch(() => open.delete(run.no));
    open.set(run.no, opening);
    return opening;
  };
}
