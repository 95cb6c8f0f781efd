import { hasEnded, type RunKind, type RunState, RUN_KINDS } from '@gleaner/contracts/values';
import { type CallOutput, call, type CallInput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { runsQueryOf, type RunsSearch } from './search.ts';

type Job = CallOutput<'getJob'>;
type Batch = CallOutput<'getBatch'>;
type WorkflowRun = CallOutput<'getWorkflowRun'>;

/** A job, batch or run of a workflow as a line of the list. */
export interface RunRow extends Pick<
  Job,
  'id' | 'status' | 'held' | 'waiting' | 'created_at' | 'started_at' | 'finished_at'
> {
  kind: RunKind;
  /** What people call it: a crawl is a run of a workflow to the service. */
  word: RunKind | WorkflowRun['kind'];
  title: string;
  /** Undefined for a workflow: its run has the workflow's name. */
  target?: Job['target'];
  counts: Pick<Batch['counts'], 'total' | 'succeeded' | 'failed'> & { running?: number };
}

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
export function useRuns(search: RunsSearch) {
  const { kind, parser } = search;
  const filter = runsQueryOf(search);
  const kinds = RUN_KINDS.filter(
    (one) => (kind ?? one) === one && (parser === undefined || one !== 'workflow'),
  );
  const first: Cursors = kinds.map((one) => ({ kind: one }));
  return useInfiniteQuery({
    queryKey: ['listRuns', kinds, parser, filter],
    queryFn: ({ pageParam, signal }) =>
      Promise.all(
        pageParam.map(async ({ kind: one, cursor }): Promise<RunPart> => {
          const query = { ...filter, limit: PAGE_SIZE, cursor: cursor ?? undefined };
          return { kind: one, ...(await READS[one]({ query }, { signal })) };
        }),
      ),
    initialPageParam: first,
    getNextPageParam: (parts): Cursors | undefined => {
      const unfinished = parts.filter(({ cursor }) => cursor !== null);
      return unfinished.length === 0 ? undefined : unfinished;
    },
    placeholderData: keepPreviousData,
    // Only while its first page is all that is shown: rows that are scrolled to stay in their place.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
}

/** Whether nothing of a run is under way: what is left waits for a host or for its next attempt. */
export function isWaiting({ status, waiting, counts }: Waiting): boolean {
  return status === 'running' && waiting !== null && (counts?.running ?? 0) === 0;
}

/** Whether a run waits or runs: its counts still change. */
export function isLive({ status }: { status: RunState }): boolean {
  return !hasEnded(status);
}

interface Waiting extends Pick<RunRow, 'status' | 'waiting'> {
  counts?: { running?: number };
}

export function rowOfJob(job: Job): RunRow {
  const { id, url, input, status } = job;
  return {
    ...job,
    kind: 'job',
    word: 'job',
    title: url ?? (input === null ? id : JSON.stringify(input)),
    counts: { total: 1, succeeded: Number(status === 'succeeded'), failed: Number(status === 'failed') },
  };
}

export function rowOfBatch(batch: Batch): RunRow {
  const title = batch.name ?? `Batch of ${formatNumber(batch.counts.total)}`;
  return { ...batch, kind: 'batch', word: 'batch', title };
}

export function rowOfWorkflowRun(run: WorkflowRun): RunRow {
  return { ...run, kind: 'workflow', word: run.kind, title: run.name ?? 'Workflow run' };
}

/** Runs of one kind, as one call gives them. */
export interface RunPart {
  kind: RunKind;
  rows: readonly RunRow[];
  /** Null when these are the last. */
  cursor: string | null;
}

/**
 * Merges the parts of lists that are each newest first. Rows older than the end of an unfinished list are held back: rows
 * that belong above them may still arrive.
 */
export function mergeRuns(parts: readonly RunPart[]): RunRow[] {
  const lastParts = [...new Map(parts.map((part) => [part.kind, part])).values()];
  const ends = lastParts.map(({ cursor, rows }) => (cursor === null ? '' : (rows.at(-1)?.created_at ?? '')));
  const bound = ends.toSorted().at(-1) ?? '';
  return parts
    .flatMap(({ rows }) => rows)
    .filter((row) => row.created_at >= bound)
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id));
}
