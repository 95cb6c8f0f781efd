import { hasEnded } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { formatNumber, plural } from '../format/number.ts';
import { IconPlayerStop, IconRefresh } from '../parts/icons.ts';
import type { RunRow } from './run-row.ts';

interface BulkActionsProps {
  selected: readonly RunRow[];
  onClear: () => void;
}

interface Outcome {
  done: number;
  refused: { title: string; reason: string }[];
}

const PARALLEL = 4;

function canRetry(row: RunRow): boolean {
  return row.kind !== 'job' && row.failed > 0 && hasEnded(row.status) && row.status !== 'cancelled';
}

function cancel({ id, kind }: RunRow): Promise<unknown> {
  const input = { params: { id } };
  if (kind === 'workflow') return call('cancelWorkflowRun', input);
  return kind === 'batch' ? call('cancelBatch', input) : call('cancelJob', input);
}

function retry({ id, kind }: RunRow): Promise<unknown> {
  const input = { params: { id } };
  return kind === 'workflow' ? call('retryWorkflowRun', input) : call('retryBatch', input);
}

/** Does the same to many runs, a few at a time; a refused run doesn't stop the others. */
async function doAll(rows: readonly RunRow[], act: (row: RunRow) => Promise<unknown>): Promise<Outcome> {
  const outcome: Outcome = { done: 0, refused: [] };
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

/** The actions for all chosen runs. */
export function BulkActions({ selected, onClear }: BulkActionsProps) {
  const client = useQueryClient();
  const live = selected.filter(({ status }) => !hasEnded(status));
  const retryable = selected.filter(canRetry);
  const failed = retryable.reduce((sum, row) => sum + row.failed, 0);
  const action = useMutation({
    mutationFn: (kind: 'cancel' | 'retry') =>
      kind === 'cancel' ? doAll(live, cancel) : doAll(retryable, retry),
    onSuccess: async ({ refused }) => {
      await client.invalidateQueries({ queryKey: ['listJobs'] });
      await client.invalidateQueries({ queryKey: ['listBatches'] });
      await client.invalidateQueries({ queryKey: ['listWorkflowRuns'] });
      if (refused.length === 0) onClear();
    },
  });
  return (
    <div className="filters bulk" role="region" aria-label="Chosen runs">
      <strong>{plural(selected.length, 'run')} chosen</strong>
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={14} />}
        disabled={live.length === 0}
        loading={action.isPending && action.variables === 'cancel'}
        onClick={() => action.mutate('cancel')}
      >
        Cancel {formatNumber(live.length)} unfinished
      </Button>
      <Button
        variant="default"
        leftSection={<IconRefresh size={14} />}
        disabled={retryable.length === 0}
        loading={action.isPending && action.variables === 'retry'}
        onClick={() => action.mutate('retry')}
      >
        Retry {plural(failed, 'failed page')}
      </Button>
      <Button variant="subtle" color="gray" onClick={onClear}>
        Clear
      </Button>
      {action.data?.refused.map(({ title, reason }) => (
        <span key={title} className="small bad-text">
          {title}: {reason}
        </span>
      ))}
    </div>
  );
}
