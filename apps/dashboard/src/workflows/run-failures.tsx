import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { call, listQuery } from '../api/call.ts';
import { CauseNotices } from '../runs/cause-notices.tsx';
import { Failures, type FailuresProps } from '../runs/failed-pages.tsx';
import { isLive } from '../runs/run-row.ts';
import type { WorkflowRun } from './stages.ts';

interface RunFailuresProps extends Pick<FailuresProps<never>, 'open' | 'onOpen' | 'parserOf'> {
  run: WorkflowRun;
  /** The stage whose failures are shown; default: all. */
  stage?: string | undefined;
  /** The run after a retry. */
  onRetried: (run: WorkflowRun) => void;
}

/** Failed inputs of a run of a workflow or of a crawl, by cause and one by one. */
export function RunFailures({ run, stage, onRetried, ...opened }: RunFailuresProps) {
  const { id, counts } = run;
  const client = useQueryClient();
  const input = { params: { id }, query: { stage } };
  const query = useInfiniteQuery(listQuery('getWorkflowRunFailures', input, counts.failed));
  const retry = async (cause: string): Promise<void> => {
    onRetried(await call('retryWorkflowRun', { params: { id }, body: { cause, stage } }));
    await client.invalidateQueries({ queryKey: ['getWorkflowRunFailures'] });
  };
  return (
    <Failures query={query} {...opened}>
      {() => (
        <CauseNotices
          runId={id}
          causes={query.data?.pages[0]?.causes}
          retry={isLive(run) || run.status === 'cancelled' ? undefined : retry}
        />
      )}
    </Failures>
  );
}
