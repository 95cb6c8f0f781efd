import { RUN_KINDS, type RunKind } from '@gleaner/contracts/values';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call, type CallInput } from '../api/call.ts';
import { rowOfBatch, rowOfJob, rowOfWorkflowRun, type RunPart } from './run-row.ts';
import type { RunsSearch } from './search.ts';

const LIVE_MS = 3_000;
const PAGE_SIZE = 100;

type Read = (
  input: CallInput<'listBatches'>,
  options: { signal: AbortSignal },
) => Promise<Omit<RunPart, 'kind'>>;

/** How runs of each kind are read. */
const READS: Readonly<Record<RunKind, Read>> = {
  job: async (...asked) => {
    const { jobs, pagination } = await call('listJobs', ...asked);
    return { rows: jobs.map(rowOfJob), ...pagination };
  },
  batch: async (...asked) => {
    const { batches, pagination } = await call('listBatches', ...asked);
    return { rows: batches.map(rowOfBatch), ...pagination };
  },
  workflow: async (...asked) => {
    const { workflow_runs: runs, pagination } = await call('listWorkflowRuns', ...asked);
    return { rows: runs.map(rowOfWorkflowRun), ...pagination };
  },
};

/** Where the next part of each unfinished list begins. */
type Cursors = readonly { kind: RunKind; cursor?: string | null }[];

/** Jobs, batches and runs of workflows that match the filters: each page has a part of each list. */
export function useRuns({ kind, parser, ...filter }: RunsSearch) {
  const kinds = RUN_KINDS.filter(
    (one) => (kind ?? one) === one && (parser === undefined || one !== 'workflow'),
  );
  return useInfiniteQuery({
    queryKey: ['listRuns', kinds, parser, filter],
    queryFn: ({ pageParam, signal }) =>
      Promise.all(
        pageParam.map(async ({ kind: one, cursor }): Promise<RunPart> => {
          const query = { ...filter, parser, limit: PAGE_SIZE, cursor: cursor ?? undefined };
          return { kind: one, ...(await READS[one]({ query }, { signal })) };
        }),
      ),
    initialPageParam: kinds.map((one) => ({ kind: one })) as Cursors,
    getNextPageParam: (parts): Cursors | undefined => {
      const unfinished = parts.filter(({ cursor }) => cursor !== null);
      return unfinished.length === 0 ? undefined : unfinished;
    },
    placeholderData: keepPreviousData,
    // Only while its first page is all that is shown: rows that are scrolled to stay in their place.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
}
