import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { WaitOptions } from '@gleaner/client';
import { operationQuery } from '../api/call.ts';
import { useFollowed } from '../api/use-followed.ts';
import { RunStatus, Status } from '../parts/page.tsx';
import type { WorkflowRun } from './stages.ts';

/**
 * A run of a workflow or a crawl that stays up to date while it is live, through its events.
 * @param waitFor the client's method that follows it
 */
export function useRootRun(
  operation: 'getWorkflowRun' | 'getCrawl',
  waitFor: (id: string, options: WaitOptions<WorkflowRun>) => Promise<WorkflowRun>,
  id: string,
) {
  const client = useQueryClient();
  const options = operationQuery(operation, { params: { id } });
  const query = useQuery(options);
  const show = (run: WorkflowRun): void => {
    client.setQueryData(options.queryKey, run);
  };
  useFollowed(query.data, waitFor, show);
  return { query, show };
}

/** Its state; a run that waits for credits is paused. */
export function RootRunState({ run }: { run: WorkflowRun }) {
  if (run.paused !== null) return <Status status={run.status} word="paused" />;
  return <RunStatus status={run.status} failed={run.counts.failed} />;
}
