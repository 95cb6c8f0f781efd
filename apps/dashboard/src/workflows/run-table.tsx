import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Status, When } from '../parts/values.tsx';

const LIVE_MS = 5_000;

type Run = CallOutput<'listRunsOfWorkflow'>['workflow_runs'][number];

const COLUMNS: readonly PlainColumn<Run>[] = [
  {
    header: 'State',
    cell: ({ paused, status }) => <Status status={status} {...(paused ? { word: 'paused' } : {})} />,
  },
  {
    header: 'Run',
    cell: ({ id, created_at: at }) => (
      <Link to="/workflow-runs/$runId" params={{ runId: id }}>
        <When at={at} />
      </Link>
    ),
  },
  {
    header: 'Succeeded',
    align: 'right',
    cell: ({ counts }) => `${formatNumber(counts.succeeded)} / ${formatNumber(counts.total)}`,
  },
  {
    header: 'Failed',
    align: 'right',
    className: ({ counts }) => (counts.failed > 0 ? 'bad-text' : 'soft'),
    cell: ({ counts }) => formatNumber(counts.failed),
  },
  { header: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits.used) },
  { header: 'Version', align: 'right', className: 'soft', cell: (run) => run.workflow_version },
];

/** The last runs of a workflow. */
export function RunTable({ workflowId }: { workflowId: string }) {
  const query = useInfiniteQuery({
    ...listQuery('listRunsOfWorkflow', { params: { id: workflowId }, query: {} }),
    refetchInterval: LIVE_MS,
  });
  return (
    <ReadPages
      query={query}
      what="the runs"
      rowsOf={(page) => page.workflow_runs}
      empty="It has not run yet."
      more={null}
    >
      {(runs) => (
        <PlainTable label="Runs of the workflow" rows={runs} rowKey={({ id }) => id} columns={COLUMNS} />
      )}
    </ReadPages>
  );
}
