import { Button, Menu, SegmentedControl } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { call, exportUrl, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { FORMAT_WORDS } from '../format/export-formats.ts';
import { formatNumber, plural } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { choicesOf } from '../parts/choices.ts';
import { CodeDialog } from '../parts/code-dialog.tsx';
import { CopyId } from '../parts/copy.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { IconChevronDown, IconCode, IconDownload, IconPlayerStop, IconRefresh } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { RunStatus, When } from '../parts/values.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { batchSnippets } from './batch-code.ts';
import { BatchFailures } from './batch-failures.tsx';
import { BatchResults } from './batch-results.tsx';
import { KeptPages } from './kept-pages.tsx';
import { Progress } from './progress.tsx';
import { QuarantinedRows } from './quarantined-rows.tsx';
import { readBatchSearch, type BatchTab } from './search.ts';
import { isOver, useBatch, type Pace } from './use-batch.ts';

type Batch = CallOutput<'getBatch'>;

function paceText(batch: Batch, pace: Pace | undefined): string {
  if (isOver(batch) || !pace) return '';
  if (pace.perSecond === 0) return batch.counts.running === 0 ? 'waiting for its turn' : '';
  const rate = pace.perSecond < 10 ? pace.perSecond.toFixed(1) : formatNumber(pace.perSecond);
  const left = pace.leftMs === undefined ? '' : ` · about ${formatDuration(pace.leftMs)} left`;
  return `${rate}/s over the last 10 s${left}`;
}

function tabsOf({ counts, mode }: Batch): { value: BatchTab; label: string }[] {
  return [
    { value: 'results', label: `Results ${formatNumber(counts.succeeded)}` },
    { value: 'failures', label: `Failures ${formatNumber(counts.failed)}` },
    ...(mode === 'database'
      ? [{ value: 'held' as const, label: `Held back ${formatNumber(counts.quarantined)}` }]
      : []),
    { value: 'pages', label: 'Kept pages' },
  ];
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Kept({ until }: { until: string | null }) {
  if (until === null) return <>kept for 24 hours after the start</>;
  return (
    <>
      removed <When at={until} />
    </>
  );
}

function Facts({ batch }: { batch: Batch }) {
  const { counts, credits } = batch;
  const took =
    batch.started_at !== null && batch.finished_at !== null
      ? formatDuration(Date.parse(batch.finished_at) - Date.parse(batch.started_at))
      : undefined;
  return (
    <dl className="facts">
      <Fact name="Reads">
        <TargetLink target={batch.target} />
      </Fact>
      <Fact name="Repeat">
        <Link
          to="/crons/new"
          search={{
            ...(batch.target.type === 'parser'
              ? { parser: batch.target.parserId }
              : { api: batch.target.id }),
            batch: batch.id,
          }}
        >
          Run it on a schedule
        </Link>
      </Fact>
      <Fact name="Succeeded">{formatNumber(counts.succeeded)}</Fact>
      <Fact name="Failed">{formatNumber(counts.failed)}</Fact>
      {counts.cancelled > 0 && <Fact name="Cancelled">{formatNumber(counts.cancelled)}</Fact>}
      <Fact name="Credits">
        {formatNumber(credits.used)} used
        {credits.reserved > 0 && <span className="soft">, {formatNumber(credits.reserved)} reserved</span>}
      </Fact>
      <Fact name="Results">
        {batch.mode === 'database' ? <TableLink sink={batch.sink} /> : <Kept until={batch.expires_at} />}
      </Fact>
      <Fact name="Created">
        <When at={batch.created_at} />
      </Fact>
      {took !== undefined && <Fact name="Took">{took}</Fact>}
      <Fact name="Id">
        <CopyId id={batch.id} />
      </Fact>
    </dl>
  );
}

function download(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

/** A batch while it runs and after: progress, failures by cause, results. */
export function BatchPage() {
  const { batchId } = useParams({ from: '/app/runs/batches/$batchId' });
  const { tab = 'results', failure } = useSearch({ from: '/app/runs/batches/$batchId' });
  const navigate = useNavigate({ from: '/runs/batches/$batchId' });
  const client = useQueryClient();
  const { query, pace } = useBatch(batchId);
  const [isCancelling, setCancelling] = useState(false);
  const [isCodeShown, setCodeShown] = useState(false);
  const key = operationQuery('getBatch', { params: { id: batchId } }).queryKey;
  const retry = useMutation({
    mutationFn: () => call('retryBatch', { params: { id: batchId } }),
    onSuccess: async (batch) => {
      client.setQueryData(key, batch);
      await client.invalidateQueries({ queryKey: ['getBatchFailures'] });
      await client.invalidateQueries({ queryKey: ['getBatchResults'] });
    },
  });
  const batch = query.data;
  const counts = batch?.counts;
  const canExport = batch?.mode === 'return' && (counts?.succeeded ?? 0) > 0;
  return (
    <Page
      title={batch === undefined ? 'Batch' : (batch.name ?? `Batch of ${plural(batch.counts.total, 'page')}`)}
      crumbs={<Link to="/runs">Runs</Link>}
      aside={batch && <RunStatus status={batch.status} failed={batch.counts.failed} />}
      padded
      actions={
        batch && (
          <>
            <Button variant="default" leftSection={<IconCode size={14} />} onClick={() => setCodeShown(true)}>
              Get code
            </Button>
            {(counts?.failed ?? 0) > 0 && batch.status !== 'cancelled' && (
              <Button
                variant="default"
                leftSection={<IconRefresh size={14} />}
                loading={retry.isPending}
                disabled={!isOver(batch)}
                onClick={() => retry.mutate()}
              >
                Retry {formatNumber(counts?.failed ?? 0)} failed
              </Button>
            )}
            {!isOver(batch) && (
              <Button
                variant="default"
                leftSection={<IconPlayerStop size={14} />}
                onClick={() => setCancelling(true)}
              >
                Cancel
              </Button>
            )}
            <Menu>
              <Menu.Target>
                <Button
                  disabled={!canExport}
                  leftSection={<IconDownload size={14} />}
                  rightSection={<IconChevronDown size={14} />}
                >
                  Export
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {choicesOf(FORMAT_WORDS).map(({ value: format, label }) => (
                  <Menu.Item
                    key={format}
                    onClick={() =>
                      download(exportUrl('exportBatch', { params: { id: batchId }, query: { format } }))
                    }
                  >
                    {label}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
    >
      <Loaded query={query} what="the batch">
        {(loaded) => (
          <>
            <section style={{ marginBottom: 20 }} aria-label="Progress">
              <div className="row" style={{ marginBottom: 6 }}>
                <strong>
                  {formatNumber(loaded.counts.succeeded + loaded.counts.failed + loaded.counts.cancelled)} of{' '}
                  {formatNumber(loaded.counts.total)}
                </strong>
                <span className="soft">{paceText(loaded, pace)}</span>
              </div>
              <Progress {...loaded.counts} />
            </section>
            {retry.error !== null && <Failure error={retry.error} />}
            <div className="columns">
              <div style={{ minWidth: 0 }}>
                {loaded.counts.quarantined > 0 && tab !== 'held' && (
                  <div className="notice" role="status" style={{ marginBottom: 12 }}>
                    <span>
                      {plural(loaded.counts.quarantined, 'row')} held back, because the parser seems broken.{' '}
                      <Link to="/runs/batches/$batchId" params={{ batchId }} search={{ tab: 'held' }} replace>
                        Look at them
                      </Link>
                    </span>
                  </div>
                )}
                <SegmentedControl
                  data={tabsOf(loaded)}
                  value={tab}
                  onChange={(value) =>
                    void navigate({
                      search: value === 'results' ? {} : readBatchSearch({ tab: value }),
                      replace: true,
                    })
                  }
                  style={{ marginBottom: 12 }}
                />
                {tab === 'results' && <BatchResults batch={loaded} />}
                {tab === 'failures' && (
                  <BatchFailures
                    batch={loaded}
                    open={failure}
                    onOpen={(opened) => void navigate({ search: { tab, failure: opened } })}
                  />
                )}
                {tab === 'held' && <QuarantinedRows batch={loaded} />}
                {tab === 'pages' && <KeptPages batch={loaded} />}
              </div>
              <Facts batch={loaded} />
            </div>
          </>
        )}
      </Loaded>
      <Confirm
        opened={isCancelling}
        onClose={() => setCancelling(false)}
        title="Cancel this batch"
        action="Cancel batch"
        run={async () => {
          client.setQueryData(key, await call('cancelBatch', { params: { id: batchId } }));
        }}
      >
        What has succeeded stays. The rest is not run, and its credits are given back at once.
      </Confirm>
      <CodeDialog
        opened={isCodeShown}
        onClose={() => setCodeShown(false)}
        title="This batch as code"
        snippets={batchSnippets(location.origin, batchId)}
      />
    </Page>
  );
}
