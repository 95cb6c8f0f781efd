import { AppError, isApiId, PREBUILT_APIS, type DatabaseSink } from '@gleaner/contracts';
import type { ParserCache } from '../../parsers/parser-cache.ts';
import { openSinkWriter, type SinkWriter } from '../../storage/sinks/sink-writer.ts';
import { resolveSink, type SinkSource } from '../../storage/sinks/resolve-sink.ts';
import type { SinkDeps } from '../../storage/sinks/sink-table.ts';
import type { CarriedColumn } from '../stages/stage-spec.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { schemaOfTarget } from '../tasks/unsaved-target.ts';

export interface RunSinkDeps extends SinkDeps {
  parsers: ParserCache;
}

export async function readSource(parsers: ParserCache, target: TaskTarget): Promise<SinkSource> {
  if (target.type === 'crawl') throw new Error('the pages of a crawl have no sink');
  if (target.type === 'schema') return { type: 'parser', schema: schemaOfTarget(target) };
  if (target.type === 'api') {
    if (!isApiId(target.id)) throw new AppError('not_found', { field: 'target.id' });
    return { type: 'api', api: PREBUILT_APIS[target.id] };
  }
  const { schema } = await parsers.load(target.parserId, target.version);
  return { type: 'parser', schema };
}

/**
 * Opens the sink of a run for writing. A submission opens it to check that it can be written.
 * @throws AppError not_found (sink.database), invalid_request (sink.key, sink.rows, a column of another type),
 * temporarily_unavailable
 */
export async function openRunSink(
  deps: RunSinkDeps,
  run: {
    id: string;
    accountId: string;
    target: TaskTarget;
    sink: DatabaseSink;
    /** Its cron or workflow. */
    source?: string | undefined;
    /** Columns beside those of the target. */
    carried?: readonly CarriedColumn[] | undefined;
  },
): Promise<SinkWriter> {
  const resolved = resolveSink(run.sink, await readSource(deps.parsers, run.target));
  const carried = (run.carried ?? []).map(({ column, type }) => ({
    name: column,
    type,
    nullable: true,
    key: false,
  }));
  return openSinkWriter(deps, {
    accountId: run.accountId,
    runId: run.id,
    source: run.source,
    ...resolved,
    columns: [...resolved.columns, ...carried],
  });
}
