import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/number.ts';
import { BatchFailures } from './batch-failures.tsx';
import { BatchResults } from './batch-results.tsx';
import { KeptPages } from './kept-pages.tsx';
import { QuarantinedRows } from './quarantined-rows.tsx';
import { RunLink } from './run-link.tsx';
import { readBatchSearch, type BatchSearch, type BatchTab } from './search.ts';

type Batch = CallOutput<'getBatch'>;

function tabsOf({ counts, mode }: Batch): { value: BatchTab; label: string }[] {
  const held = { value: 'held' as const, label: `Held back ${formatNumber(counts.quarantined)}` };
  return [
    { value: 'results', label: `Results ${formatNumber(counts.succeeded)}` },
    { value: 'failures', label: `Failures ${formatNumber(counts.failed)}` },
    ...(mode === 'database' ? [held] : []),
    { value: 'pages', label: 'Kept pages' },
  ];
}

/** What came of a batch: its results, failures, rows held back and kept pages. */
export function BatchTabs({ batch, search }: { batch: Batch; search: BatchSearch }) {
  const navigate = useNavigate({ from: '/runs/batches/$batchId' });
  const { tab = 'results', failure } = search;
  return (
    <div className="stack">
      {batch.counts.quarantined > 0 && tab !== 'held' && (
        <div className="notice" role="status">
          <span>
            {plural(batch.counts.quarantined, 'row')} held back, because the parser seems broken.{' '}
            <RunLink id={batch.id} tab="held">
              Review them
            </RunLink>
          </span>
        </div>
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
          open={failure}
          onOpen={(opened) => void navigate({ search: { tab, failure: opened } })}
        />
      )}
      {tab === 'held' && <QuarantinedRows batch={batch} />}
      {tab === 'pages' && <KeptPages batch={batch} />}
    </div>
  );
}
