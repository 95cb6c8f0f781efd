import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { hasEnded, type RunKind, type RunState } from '@gleaner/contracts/values';
import { listQuery, operationQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { formatDuration } from '../format/time.ts';
import { choicesOf } from '../parts/choices.ts';
import { DataTable } from '../parts/data-table.tsx';
import { IconPlus, IconRefresh } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { Progress } from './progress.tsx';
import { mergeRuns, rowOfBatch, rowOfJob, rowOfWorkflowRun, type RunRow } from './run-row.ts';
import type { RunsSearch } from './search.ts';

const LIVE_MS = 3_000;

function took({ startedAt, finishedAt }: RunRow): string {
  if (startedAt === null || finishedAt === null) return '';
  return formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function RunLink({ row }: { row: RunRow }) {
  if (row.kind === 'batch')
    return (
      <Link to="/runs/batches/$batchId" params={{ batchId: row.id }}>
        {row.title}
      </Link>
    );
  return row.kind === 'workflow' ? (
    <Link to="/workflow-runs/$runId" params={{ runId: row.id }}>
      {row.title}
    </Link>
  ) : (
    <Link to="/runs/jobs/$jobId" params={{ jobId: row.id }} title={row.title}>
      {shortUrl(row.title)}
    </Link>
  );
}

const STATE_WORDS = {
  pending: 'Waiting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
} satisfies Record<RunState, string>;

const KIND_WORDS = { batch: 'Batches', job: 'Jobs', workflow: 'Workflow runs' } satisfies Record<
  RunKind,
  string
>;

/** Jobs, batches and runs of workflows in one list, newest first; the address contains the filters. */
export function RunsPage() {
  const search = useSearch({ from: '/app/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const client = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const status = search.status === undefined ? {} : { status: search.status };
  const shows = (kind: RunKind): boolean => search.kind === undefined || search.kind === kind;
  const jobs = useInfiniteQuery({ ...listQuery('listJobs', { query: status }), enabled: shows('job') });
  const batches = useInfiniteQuery({
    ...listQuery('listBatches', { query: status }),
    enabled: shows('batch'),
    // Only the first page is read again: live runs are at the top.
    refetchInterval: ({ state }) =>
      state.data?.pages.length === 1 &&
      state.data.pages[0]?.batches.some(({ status }) => !hasEnded(status)) === true
        ? LIVE_MS
        : false,
  });
  const workflowRuns = useInfiniteQuery({
    ...listQuery('listWorkflowRuns', { query: status }),
    enabled: shows('workflow'),
    refetchInterval: ({ state }) =>
      state.data?.pages.length === 1 &&
      state.data.pages[0]?.workflow_runs.some(({ status }) => !hasEnded(status)) === true
        ? LIVE_MS
        : false,
  });
  const parsers = useQuery({
    ...operationQuery('listParsers', { query: { limit: 100 } }),
    staleTime: 60_000,
  });
  const nameOf = (id: string): string =>
    parsers.data?.parsers.find((one) => one.id === id)?.name ?? 'a parser';
  const lists = [
    { kind: 'job' as const, query: jobs, rows: jobs.data?.pages.flatMap((page) => page.jobs.map(rowOfJob)) },
    {
      kind: 'batch' as const,
      query: batches,
      rows: batches.data?.pages.flatMap((page) => page.batches.map(rowOfBatch)),
    },
    {
      kind: 'workflow' as const,
      query: workflowRuns,
      rows: workflowRuns.data?.pages.flatMap((page) => page.workflow_runs.map(rowOfWorkflowRun)),
    },
  ]
    .filter(({ kind }) => shows(kind))
    .map(({ query, rows: known }) => ({ query, rows: known ?? [], hasMore: query.hasNextPage }));
  const asked = lists.map(({ query }) => query);
  const merged = mergeRuns(lists);
  const rows = search.parser === undefined ? merged : merged.filter((row) => row.parserId === search.parser);
  const failed = asked.find(({ error }) => error !== null);
  const isPending = asked.some(({ isPending }) => isPending);
  const set = (change: RunsSearch): void =>
    void navigate({ search: (known) => ({ ...known, ...change }), replace: true });
  const isFiltered = search.kind !== undefined || search.status !== undefined || search.parser !== undefined;
  const open = (row: RunRow): void =>
    void {
      batch: () => navigate({ to: '/runs/batches/$batchId', params: { batchId: row.id } }),
      job: () => navigate({ to: '/runs/jobs/$jobId', params: { jobId: row.id } }),
      workflow: () => navigate({ to: '/workflow-runs/$runId', params: { runId: row.id } }),
    }[row.kind]();
  return (
    <Page
      title="Runs"
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={() => void navigate({ to: '/runs/new' })}>
          New batch
        </Button>
      }
      filters={
        <>
          <Select
            aria-label="Kind"
            placeholder="Any kind"
            clearable
            w={130}
            data={choicesOf(KIND_WORDS)}
            value={search.kind ?? null}
            onChange={(kind) => set({ kind: kind ?? undefined })}
          />
          <Select
            aria-label="State"
            placeholder="Any state"
            clearable
            w={130}
            data={choicesOf(STATE_WORDS)}
            value={search.status ?? null}
            onChange={(state) => set({ status: state ?? undefined })}
          />
          <Select
            aria-label="Parser"
            placeholder="Any parser"
            clearable
            searchable
            w={190}
            data={(parsers.data?.parsers ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={search.parser ?? null}
            onChange={(parser) => set({ parser: parser ?? undefined })}
          />
          <span className="grow" />
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconRefresh size={14} />}
            onClick={() => {
              void client.invalidateQueries({ queryKey: ['listJobs'] });
              void client.invalidateQueries({ queryKey: ['listBatches'] });
              void client.invalidateQueries({ queryKey: ['listWorkflowRuns'] });
            }}
          >
            Refresh
          </Button>
        </>
      }
    >
      {rows.some(({ id }) => chosen.has(id)) && (
        <BulkActions
          selected={rows.filter(({ id }) => chosen.has(id))}
          onClear={() => setChosen(new Set())}
        />
      )}
      {failed && (
        <div className="state">
          <Failure error={failed.error} onRetry={() => void failed.refetch()} />
        </div>
      )}
      {!failed && isPending && <Loading what="the runs" lines={10} />}
      {!failed && !isPending && rows.length === 0 && !lists.some(({ hasMore }) => hasMore) && (
        <Empty title={isFiltered ? 'No run is like this' : 'Nothing has run yet'}>
          <p>
            {isFiltered
              ? 'Take a filter away to see more.'
              : 'A batch runs a parser over a list of addresses, as many as a million.'}
          </p>
          {isFiltered ? (
            <Button variant="default" onClick={() => void navigate({ search: {} })}>
              Clear the filters
            </Button>
          ) : (
            <Button onClick={() => void navigate({ to: '/runs/new' })}>New batch</Button>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Runs"
          rows={rows}
          rowId={({ id }) => id}
          onOpen={open}
          hasMore={lists.some(({ hasMore }) => hasMore)}
          isReading={asked.some(({ isFetchingNextPage }) => isFetchingNextPage)}
          onMore={() => {
            for (const query of asked) if (query.hasNextPage) void query.fetchNextPage();
          }}
          columns={[
            {
              id: 'chosen',
              header: '',
              width: '18px',
              cell: (row) => (
                <input
                  type="checkbox"
                  className="choose"
                  aria-label={`Choose ${row.title}`}
                  checked={chosen.has(row.id)}
                  onChange={() => toggle(row.id)}
                />
              ),
            },
            { id: 'status', header: 'State', width: '110px', cell: (row) => <Status status={row.status} /> },
            {
              id: 'kind',
              isExtra: true,
              header: 'Kind',
              width: '80px',
              cell: (row) => <span className="soft">{row.kind}</span>,
            },
            { id: 'title', header: 'Run', width: 'minmax(120px, 2fr)', cell: (row) => <RunLink row={row} /> },
            {
              id: 'target',
              isExtra: true,
              header: 'Reads',
              width: 'minmax(110px, 1fr)',
              cell: (row) => (
                <span className="soft">
                  {row.parserId === undefined ? row.targetName : nameOf(row.parserId)}
                </span>
              ),
            },
            {
              id: 'progress',
              isExtra: true,
              header: 'Progress',
              width: '120px',
              cell: (row) => (row.kind === 'job' ? null : <Progress {...row} />),
            },
            {
              id: 'counts',
              isExtra: true,
              header: 'Done',
              width: '130px',
              align: 'right',
              cell: (row) =>
                row.kind === 'job'
                  ? ''
                  : `${formatNumber(row.succeeded + row.failed)} / ${formatNumber(row.total)}`,
            },
            {
              id: 'failed',
              header: 'Failed',
              width: '70px',
              align: 'right',
              cell: (row) =>
                row.failed > 0 ? <span className="bad-text">{formatNumber(row.failed)}</span> : '',
            },
            { id: 'took', isExtra: true, header: 'Took', width: '90px', align: 'right', cell: took },
            {
              id: 'created',
              isExtra: true,
              header: 'Created',
              width: '120px',
              cell: (row) => <When at={row.createdAt} />,
            },
          ]}
        />
      )}
    </Page>
  );
}
