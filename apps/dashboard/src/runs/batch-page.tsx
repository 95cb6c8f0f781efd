import { UnwrittenNotice, WaitingNotice } from './waiting-notice.tsx';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { call, exportUrl, client as api, operationQuery, type CallOutput } from '../api/call.ts';
import { plural, formatNumber, formatTook } from '../format/format.ts';
import { CodeButton } from '../parts/code-button.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { Page, Failure, Loaded, RunStatus, Facts } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { batchSnippets } from './batch-code.ts';
import { BatchTabs } from './batch-tabs.tsx';
import { LiveActions, LiveProgress } from './live-run.tsx';
import { doneOf, paceText, addSample, type PaceSample } from './pace.ts';
import { CopyId } from '../parts/copy.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetLink } from '../targets/target-link.tsx';
import { useState } from 'react';
import { SourceNotice } from './source-notice.tsx';
import { useFollowed } from '../api/use-followed.ts';
import { isLive } from './run-state.ts';

function Credits({ credits: { used, reserved } }: Pick<Batch, 'credits'>) {
  return (
    <>
      {formatNumber(used)} used
      {reserved > 0 && <span className="soft">, {formatNumber(reserved)} reserved</span>}
    </>
  );
}

function Results({ batch }: { batch: Batch }) {
  if (batch.mode === 'database') return <TableLink sink={batch.sink} />;
  if (batch.expires_at === null) return <>kept for 24 hours after the start</>;
  return (
    <>
      removed <When at={batch.expires_at} />
    </>
  );
}

/** What a batch reads, writes, costs and took. */
function BatchFacts({ batch }: { batch: Batch }) {
  const { counts, target } = batch;
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
        ['Credits', <Credits credits={batch.credits} />],
        ['Results', <Results batch={batch} />],
        ['Created', <When at={batch.created_at} />],
        ['Took', formatTook(batch.started_at, batch.finished_at)],
        ['Id', <CopyId id={batch.id} />],
      ]}
    />
  );
}

/** A batch that stays up to date while it runs, through its events. */
function useBatch(id: string) {
  const client = useQueryClient();
  const options = operationQuery('getBatch', { params: { id } });
  const query = useQuery(options);
  const [samples, setSamples] = useState<readonly PaceSample[]>([]);
  useFollowed(query.data, api.batches.waitFor, (batch) => {
    client.setQueryData(options.queryKey, batch);
    // The side bar shows the balance.
    if (!isLive(batch)) void client.invalidateQueries({ queryKey: ['getCredits'] });
    setSamples((known) => addSample(known, { at: performance.now(), done: doneOf(batch) }));
  });
  return { query, samples };
}

type Batch = CallOutput<'getBatch'>;

interface BatchActionsProps {
  batch: Batch;
  onRetry: () => void;
  isRetrying: boolean;
  onCancelled: (batch: Batch) => void;
}

function BatchActions({ batch, onRetry, isRetrying, onCancelled }: BatchActionsProps) {
  const { id, counts, mode } = batch;
  return (
    <>
      <CodeButton title="This batch as code" snippets={batchSnippets(location.origin, id)} />
      <LiveActions
        run={batch}
        what="batch"
        onRetry={onRetry}
        isRetrying={isRetrying}
        cancel={async () => onCancelled(await call('cancelBatch', { params: { id } }))}
      >
        Results so far stay. The other pages do not run, and their credits are released at once.
      </LiveActions>
      <ExportMenu
        disabled={mode !== 'return' || counts.succeeded === 0}
        urlOf={(format) => exportUrl('/v1/batches/{id}/export', { params: { id }, query: { format } })}
      />
    </>
  );
}

/** A batch while it runs and after: progress, failures by cause, results. */
export function BatchPage() {
  const { batchId } = useParams({ from: '/app/runs/batches/$batchId' });
  const search = useSearch({ from: '/app/runs/batches/$batchId' });
  const client = useQueryClient();
  const { query, samples } = useBatch(batchId);
  const show = (batch: Batch): void => {
    client.setQueryData(operationQuery('getBatch', { params: { id: batchId } }).queryKey, batch);
  };
  const retry = useMutation({
    mutationFn: () => call('retryBatch', { params: { id: batchId } }),
    onSuccess: async (batch) => {
      show(batch);
      await client.invalidateQueries({ queryKey: ['getBatchFailures'] });
      await client.invalidateQueries({ queryKey: ['getBatchResults'] });
    },
  });
  const batch = query.data;
  return (
    <Page
      title={batch === undefined ? 'Batch' : (batch.name ?? `Batch of ${plural(batch.counts.total, 'page')}`)}
      crumbs={[<Link to="/runs">Runs</Link>]}
      aside={
        batch && (
          <>
            <RunStatus status={batch.status} failed={batch.counts.failed} />
            <AlarmBadge parserId={parserIdOf(batch.target)} until={batch.finished_at} />
          </>
        )
      }
      padded
      actions={
        batch && (
          <BatchActions
            batch={batch}
            onRetry={() => retry.mutate()}
            isRetrying={retry.isPending}
            onCancelled={show}
          />
        )
      }
    >
      <Loaded query={query} what="the batch">
        {(loaded) => (
          <div className="stack loose">
            <LiveProgress counts={loaded.counts} done={doneOf(loaded)}>
              {paceText(loaded, samples)}
            </LiveProgress>
            <SourceNotice source={loaded.source} since={loaded.since} />
            <WaitingNotice waiting={loaded.waiting} />
            <UnwrittenNotice batch={loaded} />
            <Failure error={retry.error} />
            <div className="columns">
              <BatchTabs batch={loaded} search={search} />
              <BatchFacts batch={loaded} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
