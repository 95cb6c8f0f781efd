import { Button } from '@mantine/core';
import { formatNumber, plural } from '../format/format.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { IconPlayerStop, IconRefresh } from '../parts/icons.ts';
import { useChange } from '../api/call.ts';
import { cancelRun, canRetry, doAll, retryRun } from './bulk.ts';
import styles from './runs.module.css';
import { RUN_LISTS, type RunRow } from './run-row.ts';
import { isLive } from './run-state.ts';

interface BulkActionsProps {
  selected: readonly RunRow[];
  onClear: () => void;
}

/** The actions for all chosen runs. */
export function BulkActions({ selected, onClear }: BulkActionsProps) {
  const live = selected.filter(isLive);
  const retryable = selected.filter(canRetry);
  const failed = retryable.reduce((sum, row) => sum + row.failed, 0);
  const action = useChange(
    (kind: 'cancel' | 'retry') => (kind === 'cancel' ? doAll(live, cancelRun) : doAll(retryable, retryRun)),
    { stale: RUN_LISTS, onDone: ({ refused }) => refused.length === 0 && onClear() },
  );
  return (
    <div className={`filters ${styles.bulk}`} role="region" aria-label="Chosen runs">
      <strong>{plural(selected.length, 'run')} chosen</strong>
      <ActionButton
        icon={IconPlayerStop}
        disabled={live.length === 0}
        loading={action.isPending && action.variables === 'cancel'}
        onClick={() => action.mutate('cancel')}
      >
        Cancel {formatNumber(live.length)} unfinished
      </ActionButton>
      <ActionButton
        icon={IconRefresh}
        disabled={retryable.length === 0}
        loading={action.isPending && action.variables === 'retry'}
        onClick={() => action.mutate('retry')}
      >
        Retry {plural(failed, 'failed page')}
      </ActionButton>
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
