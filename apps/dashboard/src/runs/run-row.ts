import type { RunKind, RunState } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';

type Job = CallOutput<'getJob'>;
type Batch = CallOutput<'getBatch'>;
type WorkflowRun = CallOutput<'getWorkflowRun'>;

/** The lists that hold runs. */
export const RUN_LISTS = ['listJobs', 'listBatches', 'listWorkflowRuns'] as const;

/** A job, batch or run of a workflow as a line of the list. */
export interface RunRow {
  id: string;
  kind: RunKind;
  /** What people call it: a crawl is a run of a workflow to the service. */
  word: RunKind | WorkflowRun['kind'];
  status: RunState;
  title: string;
  /** Undefined for a workflow: its run has the workflow's name. */
  target: Job['target'] | undefined;
  total: number;
  succeeded: number;
  failed: number;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

type Run = Pick<Job | Batch | WorkflowRun, 'id' | 'status' | 'created_at' | 'started_at' | 'finished_at'>;

function courseOf({ id, status, created_at, started_at, finished_at }: Run) {
  return { id, status, createdAt: created_at, startedAt: started_at, finishedAt: finished_at };
}

function countsOf({ total, succeeded, failed }: Batch['counts'] | WorkflowRun['counts']) {
  return { total, succeeded, failed };
}

export function rowOfJob(job: Job): RunRow {
  return {
    ...courseOf(job),
    kind: 'job',
    word: 'job',
    title: job.url ?? (job.input === null ? job.id : JSON.stringify(job.input)),
    target: job.target,
    total: 1,
    succeeded: job.status === 'succeeded' ? 1 : 0,
    failed: job.status === 'failed' ? 1 : 0,
  };
}

export function rowOfBatch(batch: Batch): RunRow {
  return {
    ...courseOf(batch),
    kind: 'batch',
    word: 'batch',
    title: batch.name ?? `Batch of ${formatNumber(batch.counts.total)}`,
    target: batch.target,
    ...countsOf(batch.counts),
  };
}

export function rowOfWorkflowRun(run: WorkflowRun): RunRow {
  return {
    ...courseOf(run),
    kind: 'workflow',
    word: run.kind,
    title: run.name ?? 'Workflow run',
    target: undefined,
    ...countsOf(run.counts),
  };
}

/**
 * Merges lists, each newest first, that are read page by page. Rows older than the end of an unfinished list
 * are held back: rows that belong above them may still arrive.
 */
export function mergeRuns(lists: readonly { rows: readonly RunRow[]; hasMore: boolean }[]): RunRow[] {
  const bounds = lists
    .filter(({ hasMore, rows }) => hasMore && rows.length > 0)
    .map(({ rows }) => rows.at(-1)?.createdAt ?? '');
  const bound = bounds.toSorted().at(-1) ?? '';
  return lists
    .flatMap(({ rows }) => rows)
    .filter(({ createdAt }) => createdAt >= bound)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id));
}
