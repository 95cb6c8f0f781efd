import { RUN_STATES, type RunKind } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { linkOptions, useNavigate, useSearch } from '@tanstack/react-router';
import { ActionButton } from '../parts/buttons.tsx';
import { choicesOf } from '../parts/choices.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { AddButton, ArrangedList } from '../parts/listed.tsx';
import { isNothing } from '../parts/list-search.ts';
import { SearchField } from '../parts/search-field.tsx';
import { IconRefresh, IconPlayerStop } from '../parts/icons.ts';
import { Page, Empty, statusChoices, RunStatus } from '../parts/page.tsx';
import { useChosen, type Chosen } from '../parts/use-chosen.ts';
import { ParserFilter } from '../targets/parser-filter.tsx';
import { isLive, isWaiting, type RunRow, mergeRuns, useRuns } from './run-row.ts';
import { MoreFilters } from './more-filters.tsx';
import type { RunsSearch } from './search.ts';
import { formatNumber, plural, shortUrl, formatTook } from '../format/format.ts';
import { useChange } from '../api/call.ts';
import { cancelRun, canRetry, doAll, retryRun } from './bulk.ts';
import styles from './runs.module.css';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { column, extra, softColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { When } from '../parts/when.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetName } from '../targets/target-name.tsx';
import { Progress } from './progress.tsx';
import { RunLink, runPlace } from './run-link.tsx';

/** The actions for all chosen runs. */
function BulkActions({ selected, onClear }: { selected: readonly RunRow[]; onClear: () => void }) {
  const live = selected.filter(isLive);
  const retryable = selected.filter(canRetry);
  const failed = retryable.reduce((sum, row) => sum + row.counts.failed, 0);
  const action = useChange(
    (kind: 'cancel' | 'retry') => (kind === 'cancel' ? doAll(live, cancelRun) : doAll(retryable, retryRun)),
    { stale: ['listRuns'], onDone: (refused) => refused.length === 0 && onClear() },
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
      {action.data?.map(({ title, reason }) => (
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

/** A run whose pages seem wrong isn't green. */
function RunState({ run }: { run: RunRow }) {
  const { status, counts, held, target, finished_at: until } = run;
  const own = (
    <RunStatus status={status} failed={counts.failed} held={held} isWaiting={isWaiting(run)} isCounted />
  );
  if (held > 0) return own;
  if (status !== 'succeeded' && status !== 'running') return own;
  return (
    <AlarmBadge parserId={target && parserIdOf(target)} until={until} isRunning={status === 'running'}>
      {own}
    </AlarmBadge>
  );
}

const COLUMNS: readonly Column<RunRow>[] = [
  column('State', '136px', (run) => <RunState run={run} />),
  extra(softColumn('Kind', '70px', ({ word }) => word)),
  column('Run', 'minmax(90px, 3fr)', ({ id, kind, title }) => (
    <RunLink id={id} title={title}>
      {kind === 'job' ? shortUrl(title) : title}
    </RunLink>
  )),
  extra(
    softColumn('Reads', 'minmax(90px, 1fr)', ({ target, word }) =>
      target ? <TargetName target={target} /> : word === 'workflow' ? 'its stages' : 'a site',
    ),
  ),
  extra(
    column(
      'Progress',
      '72px',
      ({ kind, counts, held }) => kind !== 'job' && <Progress {...counts} running={0} held={held} />,
    ),
  ),
  {
    header: 'Done',
    isExtra: true,
    width: 'minmax(96px, max-content)',
    align: 'right',
    cell: ({ kind, counts: { succeeded, failed, total } }) =>
      kind !== 'job' && `${formatNumber(succeeded + failed)} / ${formatNumber(total)}`,
  },
  {
    header: 'Failed',
    width: '48px',
    align: 'right',
    cell: ({ counts: { failed } }) => failed > 0 && <span className="bad-text">{formatNumber(failed)}</span>,
  },
  {
    header: 'Took',
    isExtra: true,
    width: '76px',
    align: 'right',
    cell: (row) => formatTook(row.started_at, row.finished_at),
  },
  extra(column('Created', '104px', (row) => <When at={row.created_at} />)),
];

function choiceColumn(chosen: Chosen<string>): Column<RunRow> {
  return column('', '18px', ({ id, title }) => (
    <input
      type="checkbox"
      className={styles.choose}
      aria-label={`Choose ${title}`}
      checked={chosen.all.has(id)}
      onChange={() => chosen.toggle(id)}
    />
  ));
}

function RunFilters() {
  const search = useSearch({ from: '/app/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const filter = (change: RunsSearch): void =>
    void navigate({ search: (known) => ({ ...known, ...change }), replace: true });
  const client = useQueryClient();
  return (
    <>
      <SearchField label="Find a run" placeholder="Name, page or id" />
      <FilterSelect
        label="Kind"
        w={130}
        data={choicesOf(KIND_WORDS)}
        value={search.kind}
        onChange={(kind) => filter({ kind })}
      />
      <FilterSelect
        label="State"
        w={150}
        data={[
          ...statusChoices(RUN_STATES),
          { value: 'with_failures', label: 'With failures' },
          { value: 'held', label: 'With held rows' },
        ]}
        value={search.status}
        onChange={(status) => filter({ status })}
      />
      <ParserFilter value={search.parser} onChange={(parser) => filter({ parser })} />
      <MoreFilters search={search} onChange={filter} />
      <span className="grow" />
      <Button
        variant="subtle"
        color="gray"
        leftSection={<IconRefresh size={14} />}
        onClick={() => void client.invalidateQueries({ queryKey: ['listRuns'] })}
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
  const query = useRuns(search);
  const rows = query.data?.pages.flat().flatMap((part) => part.rows) ?? [];
  const selected = rows.filter(({ id }) => chosen.all.has(id));
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const isEmpty = !isFiltered && isNothing(query, (parts) => parts.flatMap((part) => part.rows));
  const newBatch = <AddButton to={linkOptions({ to: '/runs/new' })}>New batch</AddButton>;
  return (
    <Page title="Runs" actions={newBatch} filters={isEmpty ? undefined : <RunFilters />}>
      {selected.length > 0 && <BulkActions selected={selected} onClear={chosen.clear} />}
      <ArrangedList
        label="Runs"
        query={query}
        rowsOf={(parts) => parts}
        arrange={mergeRuns}
        rowId={({ id }) => id}
        onOpen={({ id }) => {
          const place = runPlace(id);
          if (place) void navigate(place);
        }}
        columns={[choiceColumn(chosen), ...COLUMNS]}
        empty={
          isFiltered ? (
            <Empty title="No runs match">
              <p>Remove a filter to see more.</p>
              <Button variant="default" onClick={() => void navigate({ search: {} })}>
                Clear the filters
              </Button>
            </Empty>
          ) : (
            <Empty title="Nothing has run yet">
              <p>A batch runs a parser over a list of up to a million addresses.</p>
              {newBatch}
            </Empty>
          )
        }
      />
    </Page>
  );
}
