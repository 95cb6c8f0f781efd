import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { WaitOptions } from '@gleaner/client';
import { operationQuery, type CallOutput } from '../api/call.ts';
import { useFollowed } from '../api/use-followed.ts';
import { RunStatus, Status } from '../parts/page.tsx';
import type { WorkflowRun } from './stages.ts';

/**
 * A run of a workflow or a crawl that stays up to date while it is live, through its events.
 * @param waitFor the client's method that follows it
 */
export function useRootRun<N extends 'getWorkflowRun' | 'getCrawl'>(
  operation: N,
  waitFor: (id: string, options: WaitOptions<WorkflowRun>) => Promise<WorkflowRun>,
  id: string,
) {
  const client = useQueryClient();
  const options = operationQuery(operation, { params: { id } });
  const query = useQuery(options);
  // What a crawl was given never changes, and only its own record has it.
  const show = (run: WorkflowRun): void =>
    void client.setQueryData<CallOutput<N>>(options.queryKey, (known) => known && { ...known, ...run });
  useFollowed<WorkflowRun>(query.data, waitFor, show);
  return { query, show };
}

/** Its state; a run that waits for credits is paused. */
export function RootRunState({ run }: { run: WorkflowRun }) {
  if (run.paused !== null) return <Status status={run.status} word="paused" />;
  return <RunStatus status={run.status} failed={run.counts.failed} />;
}
