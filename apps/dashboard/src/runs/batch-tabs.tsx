import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listQuery, type CallOutput } from '../api/call.ts';
import { formatNumber, plural, cellText, memberOf, shortUrl } from '../format/format.ts';
import { KeptPages } from './kept-pages.tsx';
import { QuarantinedRows } from './quarantined-rows.tsx';
import { RunLink } from './run-link.tsx';
import { readBatchSearch, type BatchTab } from './search.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Failures, type FailuresProps } from './failed-pages.tsx';
import { CauseNotices } from './cause-notices.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { ReadPages } from '../parts/listed.tsx';
import { Notice } from '../parts/notice.tsx';
import { RecordDrawer } from '../parts/record-drawer.tsx';
import { useOpened } from '../parts/use-opened.ts';
import { RunRows } from './run-rows.tsx';
import { parserIdOf } from '../targets/target.ts';
import { resultColumns } from './compared-columns.ts';
import { isLive } from './run-row.ts';

type Batch = CallOutput<'getBatch'>;

interface BatchFailuresProps extends Pick<FailuresProps<never>, 'open' | 'onOpen'> {
  batch: Batch;
  /** Runs the pages of one cause again. */
  retry: (cause: string) => Promise<unknown>;
}

/** Why pages of a batch failed: grouped by cause with an example and what to do, then one by one. */
function BatchFailures({ batch, retry, ...opened }: BatchFailuresProps) {
  const { id, counts, target } = batch;
  const parserId = parserIdOf(target);
  const query = useInfiniteQuery(listQuery('getBatchFailures', { params: { id } }, counts.failed));
  return (
    <Failures
      query={query}
      {...opened}
      parserOf={() => parserId}
      more={`Show more of ${formatNumber(counts.failed)}`}
    >
      {() => (
        <CauseNotices
          runId={id}
          causes={query.data?.pages[0]?.causes}
          parserId={parserId}
          retry={isLive(batch) || batch.status === 'cancelled' ? undefined : retry}
        />
      )}
    </Failures>
  );
}

type Result = CallOutput<'getBatchResults'>['results'][number];

const LIVE_MS = 2_000;

function columnOf(name: string): PlainColumn<Result> {
  return {
    header: name,
    title: ({ data }) => cellText(memberOf(data, name)),
    cell: ({ data }) => cellText(memberOf(data, name)) || <span className="soft">–</span>,
  };
}

/** A value of the input that the batch keeps. */
function carriedColumn([column, name]: readonly [string, string]): PlainColumn<Result> {
  const textOf = ({ input }: Result): string => cellText(memberOf(input, name));
  return { header: column, title: textOf, cell: (row) => textOf(row) || <span className="soft">–</span> };
}

/** The first results as a table; more of them on demand, all of them as an export. */
function BatchResults({ batch }: { batch: Batch }) {
  const { id, counts } = batch;
  const query = useInfiniteQuery({
    ...listQuery('getBatchResults', { params: { id } }),
    enabled: batch.mode === 'return',
    refetchInterval: ({ state }) => {
      const isComplete = (state.data?.pages[0]?.results.length ?? 0) >= Math.min(100, counts.succeeded);
      return !isLive(batch) && isComplete ? false : LIVE_MS;
    },
  });
  const results = query.data?.pages.flatMap((page) => page.results) ?? [];
  const { opened, open, close } = useOpened(results, ({ url }) => url);
  if (batch.mode === 'database')
    return (
      <RunRows
        runId={id}
        sink={batch.sink}
        pages={batch.sink['rows'] === undefined ? counts.succeeded - batch.held : undefined}
        kept={counts.rows_kept}
        isLive={isLive(batch)}
      />
    );
  return (
    <ReadPages
      query={query}
      what="the results"
      rowsOf={(page) => page.results}
      empty={isLive(batch) ? 'The first results appear here.' : 'No page gave a result.'}
      more={`Show more of ${formatNumber(counts.succeeded)}`}
    >
      {(rows) => (
        <>
          <PlainTable
            label="Results"
            rows={rows}
            onOpen={open}
            rowKey={(_row, index) => index}
            columns={[
              { header: 'Page', title: ({ url }) => url, cell: ({ url }) => shortUrl(url) },
              ...Object.entries(batch.carry ?? {}).map(carriedColumn),
              ...resultColumns(rows).map(columnOf),
            ]}
          />
          {opened && <RecordDrawer data={opened.data} from={{ run: id, url: opened.url }} onClose={close} />}
        </>
      )}
    </ReadPages>
  );
}

function tabsOf({ counts, mode }: Batch): { value: BatchTab; label: string }[] {
  const held = { value: 'held' as const, label: `Held back ${formatNumber(counts.quarantined)}` };
  return [
    { value: 'results', label: mode === 'database' ? 'Rows' : `Results ${formatNumber(counts.succeeded)}` },
    { value: 'failures', label: `Failures ${formatNumber(counts.failed)}` },
    ...(mode === 'database' ? [held] : []),
    { value: 'pages', label: 'Kept pages' },
  ];
}

/** What came of a batch: its results, failures, rows held back and kept pages. */
export function BatchTabs({ batch, retry }: Pick<BatchFailuresProps, 'batch' | 'retry'>) {
  const navigate = useNavigate({ from: '/runs/batches/$batchId' });
  const { tab = 'results', failure } = useSearch({ from: '/app/runs/batches/$batchId' });
  return (
    <div className="stack">
      {batch.counts.quarantined > 0 && tab !== 'held' && (
        <Notice>
          {plural(batch.counts.quarantined, 'row')} held back, because the parser seemed broken.{' '}
          <RunLink id={batch.id} tab="held">
            Review them
          </RunLink>
        </Notice>
      )}
      <SegmentedControl
        className="start"
        data={tabsOf(batch)}
        value={tab}
        onChange={(value) =>
          void navigate({ search: value === 'results' ? {} : readBatchSearch({ tab: value }), replace: true })
        }
      />
      {tab === 'results' && <BatchResults batch={batch} />}
      {tab === 'failures' && (
        <BatchFailures
          batch={batch}
          retry={retry}
          open={failure}
          onOpen={(opened) => void navigate({ search: { tab, failure: opened } })}
        />
      )}
      {tab === 'held' && <QuarantinedRows batch={batch} />}
      {tab === 'pages' && <KeptPages batch={batch} />}
    </div>
  );
}
