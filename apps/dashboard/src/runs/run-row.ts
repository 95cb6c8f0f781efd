import type { RunKind, RunState } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';

type Job = CallOutput<'getJob'>;
type Batch = CallOutput<'getBatch'>;
type WorkflowRun = CallOutput<'getWorkflowRun'>;

/** The lists that hold runs. */
export const RUN_LISTS = ['listJobs', 'listBatches', 'listWorkflowRuns'] as const;

/** A job, batch or run of a workflow as a line of the list. */
export interface RunRow {
  id: string;
  kind: RunKind;
  status: RunState;
  title: string;
  parserId: string | undefined;
  targetName: string | undefined;
  total: number;
  succeeded: number;
  failed: number;
  creditsUsed: number;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

function targetOf(target: Job['target']): Pick<RunRow, 'parserId' | 'targetName'> {
  return target.type === 'parser'
    ? { parserId: target.parserId, targetName: undefined }
    : { parserId: undefined, targetName: target.id };
}

export function rowOfJob(job: Job): RunRow {
  return {
    id: job.id,
    kind: 'job',
    status: job.status,
    title: job.url ?? (job.input === null ? job.id : JSON.stringify(job.input)),
    ...targetOf(job.target),
    total: 1,
    succeeded: job.status === 'succeeded' ? 1 : 0,
    failed: job.status === 'failed' ? 1 : 0,
    creditsUsed: job.credits_used,
    createdAt: job.created_at,
    startedAt: job.started_at,
    finishedAt: job.finished_at,
  };
}

export function rowOfBatch(batch: Batch): RunRow {
  return {
    id: batch.id,
    kind: 'batch',
    status: batch.status,
    title: batch.name ?? `Batch of ${batch.counts.total.toLocaleString('en')}`,
    ...targetOf(batch.target),
    total: batch.counts.total,
    succeeded: batch.counts.succeeded,
    failed: batch.counts.failed,
    creditsUsed: batch.credits.used,
    createdAt: batch.created_at,
    startedAt: batch.started_at,
    finishedAt: batch.finished_at,
  };
}

export function rowOfWorkflowRun(run: WorkflowRun): RunRow {
  return {
    id: run.id,
    kind: 'workflow',
    status: run.status,
    title: run.name ?? 'Workflow run',
    parserId: undefined,
    targetName: run.stages.length === 1 ? 'workflow of 1 stage' : `workflow of ${run.stages.length} stages`,
    total: run.counts.total,
    succeeded: run.counts.succeeded,
    failed: run.counts.failed,
    creditsUsed: run.credits.used,
    createdAt: run.created_at,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
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
