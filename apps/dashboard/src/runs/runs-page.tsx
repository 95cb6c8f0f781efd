import { RUN_STATES, type RunKind } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ActionButton } from '../parts/buttons.tsx';
import { choicesOf } from '../parts/choices.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { IconPlus, IconRefresh, IconPlayerStop } from '../parts/icons.ts';
import { Page, Empty, Failure, Loading, statusChoices } from '../parts/page.tsx';
import { useChosen } from '../parts/use-chosen.ts';
import { ParserFilter } from '../targets/parser-filter.tsx';
import { RUN_LISTS, type RunRow } from './run-row.ts';
import { RunTable } from './run-table.tsx';
import type { RunsSearch } from './search.ts';
import { useRuns } from './use-runs.ts';
import { formatNumber, plural } from '../format/format.ts';
import { useChange } from '../api/call.ts';
import { cancelRun, canRetry, doAll, retryRun } from './bulk.ts';
import styles from './runs.module.css';
import { isLive } from './run-state.ts';

interface BulkActionsProps {
  selected: readonly RunRow[];
  onClear: () => void;
}

/** The actions for all chosen runs. */
function BulkActions({ selected, onClear }: BulkActionsProps) {
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

const KIND_WORDS = {
  batch: 'Batches',
  job: 'Jobs',
  workflow: 'Workflow runs',
} satisfies Record<RunKind, string>;

interface RunFiltersProps {
  search: RunsSearch;
  onChange: (change: RunsSearch) => void;
}

function RunFilters({ search, onChange }: RunFiltersProps) {
  const client = useQueryClient();
  return (
    <>
      <SearchField label="Find a run" placeholder="Name, page or id" />
      <FilterSelect
        label="Kind"
        w={130}
        data={choicesOf(KIND_WORDS)}
        value={search.kind}
        onChange={(kind) => onChange({ kind })}
      />
      <FilterSelect
        label="State"
        w={130}
        data={statusChoices(RUN_STATES)}
        value={search.status}
        onChange={(status) => onChange({ status })}
      />
      <ParserFilter value={search.parser} onChange={(parser) => onChange({ parser })} />
      <span className="grow" />
      <Button
        variant="subtle"
        color="gray"
        leftSection={<IconRefresh size={14} />}
        onClick={() => {
          for (const list of RUN_LISTS) void client.invalidateQueries({ queryKey: [list] });
        }}
      >
        Refresh
      </Button>
    </>
  );
}

/** Jobs, batches and runs of workflows in one list, newest first; the address contains the filters. */
export function RunsPage() {
  const search = useSearch({ from: '/app/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const chosen = useChosen<string>();
  const { rows, error, isPending, isReading, hasMore, readMore, readAgain } = useRuns(search);
  const selected = rows.filter(({ id }) => chosen.all.has(id));
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const isEmpty = error === null && !isPending && rows.length === 0 && !hasMore;
  const newBatch = (
    <ActionButton isMain icon={IconPlus} onClick={() => void navigate({ to: '/runs/new' })}>
      New batch
    </ActionButton>
  );
  return (
    <Page
      title="Runs"
      actions={newBatch}
      filters={
        <RunFilters
          search={search}
          onChange={(change) =>
            void navigate({ search: (known) => ({ ...known, ...change }), replace: true })
          }
        />
      }
    >
      {selected.length > 0 && <BulkActions selected={selected} onClear={chosen.clear} />}
      <Failure error={error} onRetry={readAgain} isWhole />
      {error === null && isPending && <Loading what="the runs" lines={10} />}
      {isEmpty && isFiltered && (
        <Empty title="No runs match">
          <p>Remove a filter to see more.</p>
          <Button variant="default" onClick={() => void navigate({ search: {} })}>
            Clear the filters
          </Button>
        </Empty>
      )}
      {isEmpty && !isFiltered && (
        <Empty title="Nothing has run yet">
          <p>A batch runs a parser over a list of up to a million addresses.</p>
          {newBatch}
        </Empty>
      )}
      {rows.length > 0 && (
        <RunTable rows={rows} chosen={chosen} hasMore={hasMore} isReading={isReading} onMore={readMore} />
      )}
    </Page>
  );
}
