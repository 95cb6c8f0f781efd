import { call } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import type { RunRow } from './run-row.ts';
import { isLive } from './run-state.ts';

/** What became of an action on many runs. */
export interface BulkOutcome {
  done: number;
  refused: { title: string; reason: string }[];
}

const PARALLEL = 4;

export function canRetry(row: Pick<RunRow, 'kind' | 'failed' | 'status'>): boolean {
  return row.kind !== 'job' && row.failed > 0 && !isLive(row) && row.status !== 'cancelled';
}

export function cancelRun({ id, kind }: RunRow): Promise<unknown> {
  const input = { params: { id } };
  if (kind === 'workflow') return call('cancelWorkflowRun', input);
  return kind === 'batch' ? call('cancelBatch', input) : call('cancelJob', input);
}

export function retryRun({ id, kind }: RunRow): Promise<unknown> {
  const input = { params: { id } };
  return kind === 'workflow' ? call('retryWorkflowRun', input) : call('retryBatch', input);
}

/** Does the same to many runs, a few at a time; a refused run doesn't stop the others. */
export async function doAll<Row extends { title: string }>(
  rows: readonly Row[],
  act: (row: Row) => Promise<unknown>,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, refused: [] };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let row = rows[next++]; row !== undefined; row = rows[next++]) {
      try {
        await act(row);
        outcome.done += 1;
      } catch (error) {
        outcome.refused.push({ title: row.title, reason: toProblem(error).message });
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return outcome;
}
