import type { ExportFormat } from '@gleaner/contracts/values';
import { RunPace } from '../charts/run-pace.tsx';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { Link, useParams } from '@tanstack/react-router';
import { call, exportUrl, client, type CallOutput } from '../api/call.ts';
import { plural, formatNumber, formatTook } from '../format/format.ts';
import { CodeButton } from '../parts/code-button.tsx';
import { DownloadLink } from '../parts/download-link.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { RunStatus, Facts } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { batchSnippets } from './batch-code.ts';
import { BatchTabs } from './batch-tabs.tsx';
import { doneOf, paceText, addSample, type PaceSample } from './pace.ts';
import { CopyId } from '../parts/copy.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetLink } from '../targets/target-link.tsx';
import { useState } from 'react';
import { KeepBatch, KeptAs } from './keep-batch.tsx';
import { UnwrittenNotice } from './notices.tsx';
import { isLive, isWaiting } from './run-row.ts';
import { RunPage, useLiveRun } from './run-page.tsx';
import { waysText } from './way-words.ts';

type Batch = CallOutput<'getBatch'>;

function Results({ batch }: { batch: Batch }) {
  if (batch.mode === 'database') return <TableLink sink={batch.sink} />;
  return (
    <>
      {batch.expires_at === null ? (
        'kept for 24 hours after the start'
      ) : (
        <>
          removed <When at={batch.expires_at} />
        </>
      )}
      <KeptAs id={batch.id} />
    </>
  );
}

/** What a batch reads, writes, costs and took. */
function BatchFacts({ batch }: { batch: Batch }) {
  const { counts, credits, target } = batch;
  const reader = target.type === 'parser' ? { parser: target.parserId } : { api: target.id };
  return (
    <Facts
      facts={[
        ['Reads', <TargetLink target={target} />],
        [
          'Repeat',
          <Link to="/crons/new" search={{ ...reader, batch: batch.id }}>
            Run it on a schedule
          </Link>,
        ],
        ['Succeeded', formatNumber(counts.succeeded)],
        ['Failed', formatNumber(counts.failed)],
        ['Cancelled', counts.cancelled > 0 && formatNumber(counts.cancelled)],
        [
          'Credits',
          <>
            {formatNumber(credits.used)} used
            {credits.reserved > 0 && (
              <span className="soft">, {formatNumber(credits.reserved)} reserved</span>
            )}
          </>,
        ],
        ['Pages came by', waysText(batch.ways)],
        ['Results', <Results batch={batch} />],
        ['Created', <When at={batch.created_at} />],
        ['Took', formatTook(batch.started_at, batch.finished_at)],
        ['Id', <CopyId id={batch.id} />],
      ]}
    />
  );
}

/** Where the results of a batch are as a file: of those in a table its rows there. */
function batchExport(id: string, sink: Batch['sink'] | undefined, format: ExportFormat): string {
  if (sink?.['mode'] !== 'database')
    return exportUrl('/v1/batches/{id}/export', { params: { id }, query: { format } });
  const params = { id: String(sink['database']), table: String(sink['table']) };
  const filter = JSON.stringify({ _run_id: id });
  return exportUrl('/v1/databases/{id}/tables/{table}/export', { params, query: { format, filter } });
}

function isExpired({ expires_at: end }: Batch): boolean {
  return end !== null && Date.parse(end) <= Date.now();
}

/** A batch while it runs and after: progress, failures by cause, results. */
export function BatchPage() {
  const { batchId } = useParams({ from: '/app/runs/batches/$batchId' });
  const [samples, setSamples] = useState<readonly PaceSample[]>([]);
  const { query, show } = useLiveRun('getBatch', client.batches.waitFor, batchId, (live) =>
    setSamples((known) => addSample(known, { at: Date.now(), done: doneOf(live) })),
  );
  const batch = query.data;
  const params = { id: batchId };
  return (
    <RunPage
      query={query}
      kind="batch"
      title={batch && (batch.name ?? `Batch of ${plural(batch.counts.total, 'page')}`)}
      crumbs={[<Link to="/runs">Runs</Link>]}
      aside={
        batch && (
          <>
            <RunStatus
              status={batch.status}
              failed={batch.counts.failed}
              held={batch.held}
              isWaiting={isWaiting(batch)}
            />
            <AlarmBadge parserId={parserIdOf(batch.target)} until={batch.finished_at} />
          </>
        )
      }
      before={<CodeButton title="This batch as code" snippets={batchSnippets(location.origin, batchId)} />}
      after={
        <>
          {batch?.mode === 'return' && !isExpired(batch) && (
            <>
              <KeepBatch batch={batch} />
              <DownloadLink make={(format) => call('createBatchLink', { params, body: { format } })} />
            </>
          )}
          <ExportMenu
            disabled={batch === undefined || batch.counts.succeeded === 0}
            urlOf={(format) => batchExport(batchId, batch?.sink, format)}
          />
        </>
      }
      retry={async () => show(await call('retryBatch', { params }))}
      cancel={async () => show(await call('cancelBatch', { params }))}
      cancelled="Results so far stay. The other pages do not run, and their credits are released at once."
      progress={(loaded) => paceText(loaded, samples)}
    >
      {(loaded) => (
        <>
          <UnwrittenNotice batch={loaded} />
          <div className="columns">
            <BatchTabs
              batch={loaded}
              retry={async (cause) => show(await call('retryBatch', { params, body: { cause } }))}
            />
            <div className="stack">
              <BatchFacts batch={loaded} />
              <RunPace runId={loaded.id} isLive={isLive(loaded)} />
            </div>
          </div>
        </>
      )}
    </RunPage>
  );
}
