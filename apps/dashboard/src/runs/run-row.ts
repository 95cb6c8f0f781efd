import { hasEnded, type RunKind, type RunState } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';

type Job = CallOutput<'getJob'>;
type Batch = CallOutput<'getBatch'>;
type WorkflowRun = CallOutput<'getWorkflowRun'>;

/** A job, batch or run of a workflow as a line of the list. */
export interface RunRow extends Pick<Job, 'id' | 'status' | 'created_at' | 'started_at' | 'finished_at'> {
  kind: RunKind;
  /** What people call it: a crawl is a run of a workflow to the service. */
  word: RunKind | WorkflowRun['kind'];
  title: string;
  /** Undefined for a workflow: its run has the workflow's name. */
  target?: Job['target'];
  counts: Pick<Batch['counts'], 'total' | 'succeeded' | 'failed'>;
}

/** Whether a run waits or runs: its counts still change. */
export function isLive({ status }: { status: RunState }): boolean {
  return !hasEnded(status);
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
