import { LRUCache } from 'lru-cache';
import { carriedColumns, openRunSink, type RunSinkDeps, type RunSpec, type SinkWriter } from '@gleaner/core';

const MAX_ENTRIES = 200;

/** Opens the sinks of runs. A worker keeps one writer per run for all its chunks. */
export function createSinkOpener(deps: RunSinkDeps): (run: RunSpec) => Promise<SinkWriter> {
  const open = new LRUCache<string, SinkWriter, RunSpec>({
    max: MAX_ENTRIES,
    ignoreFetchAbort: true,
    fetchMethod: (_no, _stale, { context: run }) => {
      const { id, accountId, target, sink, stage } = run;
      if (sink?.mode !== 'database') throw new Error(`run ${id} has no database`);
      return openRunSink(deps, {
        id: stage?.rootId ?? id,
        accountId,
        target,
        sink,
        carried: carriedColumns(run),
      });
    },
  });
  return (run) => open.forceFetch(run.no, { context: run });
}
