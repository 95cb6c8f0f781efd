import { openRunSink, type RunSinkDeps, type RunSpec, type SinkWriter } from '@gleaner/core';

const MAX_ENTRIES = 200;

/** Opens the sinks of runs; a worker keeps one writer per run for all its chunks. */
export function createSinkOpener(deps: RunSinkDeps): (run: RunSpec) => Promise<SinkWriter> {
  const open = new Map<string, Promise<SinkWriter>>();
  return (run) => {
    const known = open.get(run.no);
    if (known) return known;
    const { sink } = run;
    if (sink?.mode !== 'database') throw new Error(`run ${run.id} has no database`);
    const [oldest] = open.keys();
    if (open.size >= MAX_ENTRIES && oldest !== undefined) open.delete(oldest);
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
