import { call } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { isLive, type RunRow } from './run-row.ts';

export function canRetry(row: Pick<RunRow, 'kind' | 'counts' | 'status'>): boolean {
  return row.kind !== 'job' && row.counts.failed > 0 && !isLive(row) && row.status !== 'cancelled';
}

export function cancelRun({ id, kind }: RunRow): Promise<unknown> {
  const input = { params: { id } };
  if (kind === 'workflow') return call('cancelWorkflowRun', input);
  return kind === 'batch' ? call('cancelBatch', input) : call('cancelJob', input);
}

export function retryRun({ id, kind }: RunRow): Promise<unknown> {
  return call(kind === 'workflow' ? 'retryWorkflowRun' : 'retryBatch', { params: { id } });
}

/** Does the same to many runs; a refused run doesn't stop the others. Gives those that were refused, and why. */
export async function doAll<Row extends { title: string }>(
  rows: readonly Row[],
  act: (row: Row) => Promise<unknown>,
): Promise<{ title: string; reason: string }[]> {
  const refusals = rows.map((row) =>
    act(row).then(
      () => [],
      (error: unknown) => [{ title: row.title, reason: toProblem(error).message }],
    ),
  );
  return (await Promise.all(refusals)).flat();
}
