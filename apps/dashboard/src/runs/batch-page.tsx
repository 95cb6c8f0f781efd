import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { call, exportUrl, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { plural } from '../format/number.ts';
import { CodeButton } from '../parts/code-button.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { RunStatus } from '../parts/values.tsx';
import { batchSnippets } from './batch-code.ts';
import { BatchFacts } from './batch-facts.tsx';
import { BatchTabs } from './batch-tabs.tsx';
import { LiveActions, LiveProgress } from './live-run.tsx';
import { doneOf, paceText } from './pace.ts';
import { useBatch } from './use-batch.ts';

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
        urlOf={(format) => exportUrl('exportBatch', { params: { id }, query: { format } })}
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
      aside={batch && <RunStatus status={batch.status} failed={batch.counts.failed} />}
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
