import type { RunKind } from '@gleaner/contracts/values';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { listQuery } from '../api/call.ts';
import { mergeRuns, rowOfBatch, rowOfJob, rowOfWorkflowRun, type RunRow } from './run-row.ts';
import type { RunsSearch } from './search.ts';

const LIVE_MS = 3_000;

/** Read again only while its first page is all that is shown: rows that are scrolled to stay in their place. */
const LIVE = {
  placeholderData: keepPreviousData,
  refetchInterval: ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS,
} as const;

/** Jobs, batches and runs of workflows that match the filters, newest first, as far as they are read. */
export function useRuns(search: RunsSearch) {
  const { status, search: text, parser } = search;
  const query = { ...(status && { status }), ...(text && { search: text }) };
  const ofParser = { ...query, ...(parser && { parser }) };
  const shows = (kind: RunKind): boolean =>
    (search.kind === undefined || search.kind === kind) && (parser === undefined || kind !== 'workflow');
  const jobs = useInfiniteQuery({
    ...listQuery('listJobs', { query: ofParser }),
    ...LIVE,
    enabled: shows('job'),
  });
  const batches = useInfiniteQuery({
    ...listQuery('listBatches', { query: ofParser }),
    ...LIVE,
    enabled: shows('batch'),
  });
  const workflowRuns = useInfiniteQuery({
    ...listQuery('listWorkflowRuns', { query }),
    ...LIVE,
    enabled: shows('workflow'),
  });
  const pagesOf = <Read>({ data }: { data: { pages: readonly Read[] } | undefined }): readonly Read[] =>
    data?.pages ?? [];
  const known: {
    kind: RunKind;
    query: typeof jobs | typeof batches | typeof workflowRuns;
    rows: RunRow[];
  }[] = [
    { kind: 'job', query: jobs, rows: pagesOf(jobs).flatMap((page) => page.jobs.map(rowOfJob)) },
    { kind: 'batch', query: batches, rows: pagesOf(batches).flatMap((page) => page.batches.map(rowOfBatch)) },
    {
      kind: 'workflow',
      query: workflowRuns,
      rows: pagesOf(workflowRuns).flatMap((page) => page.workflow_runs.map(rowOfWorkflowRun)),
    },
  ];
  const lists = known.filter(({ kind }) => shows(kind));
  const merged = mergeRuns(lists.map(({ query, rows }) => ({ rows, hasMore: query.hasNextPage })));
  return {
    rows: merged,
    error: lists.find(({ query }) => query.error !== null)?.query.error ?? null,
    isPending: lists.some(({ query }) => query.isPending),
    isReading: lists.some(({ query }) => query.isFetchingNextPage),
    hasMore: lists.some(({ query }) => query.hasNextPage),
    readMore: () => {
      for (const { query } of lists) if (query.hasNextPage) void query.fetchNextPage();
    },
    readAgain: () => {
      for (const { query } of lists) void query.refetch();
    },
  };
}
