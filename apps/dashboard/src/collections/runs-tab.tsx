import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listQuery, operationQuery, type CallOutput } from '../api/call.ts';
import { Bars } from '../charts/bars.tsx';
import { PagesByDay } from '../charts/pages-by-day.tsx';
import { PastFirings } from '../crons/past-firings.tsx';
import { formatNumber, formatTook } from '../format/format.ts';
import { ReadPages } from '../parts/listed.tsx';
import { Loaded, RunStatus } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { When } from '../parts/when.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { rowOfBatch } from '../runs/run-row.ts';
import { sayRuns, type Collection } from '../today/runs-squares.ts';
import { barsOfRuns, successText } from './run-bars.ts';

type Batch = CallOutput<'listBatches'>['batches'][number];

/** What the last runs read, each a bar. */
function LastRuns({ runs }: { runs: Collection['runs'] }) {
  const bars = barsOfRuns(runs);
  if (bars.length === 0) return null;
  return (
    <section aria-label="Last runs" className="stack tight">
      <h2>Pages of the last {bars.length === 1 ? 'run' : `${formatNumber(bars.length)} runs`}</h2>
      <p className="soft small">{successText(runs)}</p>
      <Bars label={sayRuns(runs)} bars={bars} ticks={[]} />
    </section>
  );
}

function CronRuns({ id }: { id: string }) {
  const query = useQuery(operationQuery('getCron', { params: { id } }));
  return (
    <Loaded query={query} what="the cron">
      {(cron) => <PastFirings cron={cron} />}
    </Loaded>
  );
}

const COLUMNS: readonly PlainColumn<Batch>[] = [
  { header: 'Made', cell: ({ created_at: at }) => <When at={at} /> },
  {
    header: 'State',
    cell: ({ status, counts, held }) => (
      <RunStatus status={status} failed={counts.failed} held={held} isCounted />
    ),
  },
  { header: 'Run', cell: (batch) => <RunLink id={batch.id}>{rowOfBatch(batch).title}</RunLink> },
  {
    header: 'Succeeded',
    align: 'right',
    cell: ({ counts }) => `${formatNumber(counts.succeeded)} / ${formatNumber(counts.total)}`,
  },
  {
    header: 'Failed',
    align: 'right',
    cell: ({ id, counts: { failed } }) =>
      failed > 0 && (
        <RunLink id={id} tab="failures" className="bad-text">
          {formatNumber(failed)}
        </RunLink>
      ),
  },
  { header: 'Took', align: 'right', cell: (batch) => formatTook(batch.started_at, batch.finished_at) },
];

function ParserRuns({ id }: { id: string }) {
  const query = useInfiniteQuery(listQuery('listBatches', { query: { parser: id } }));
  return (
    <section aria-label="Batches" className="stack">
      <div className="row">
        <h2>Batches</h2>
        <Link to="/runs" search={{ parser: id }} className="small">
          Filter them
        </Link>
      </div>
      <ReadPages query={query} what="the batches" rowsOf={({ batches }) => batches} empty="None is kept.">
        {(rows) => <PlainTable label="Batches" rows={rows} rowKey={({ id: key }) => key} columns={COLUMNS} />}
      </ReadPages>
    </section>
  );
}

/** The runs of a collection: what they read, then one by one with what became of them. */
export function RunsTab({ collection: { id, kind, runs } }: { collection: Collection }) {
  return (
    <div className="page-body padded stack loose">
      <LastRuns runs={runs} />
      <PagesByDay of={kind === 'cron' ? { cron: id } : { parser: id }} />
      {kind === 'cron' ? <CronRuns id={id} /> : <ParserRuns id={id} />}
    </div>
  );
}
