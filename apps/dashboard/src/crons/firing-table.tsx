import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber } from '../format/number.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Loading } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { CAUSE_WORDS, OUTCOMES, reasonOf, type Firing } from './words.ts';

const FIRST = 20;

interface FiringTableProps {
  firings: readonly Firing[];
  isReading: boolean;
  /** Reads further ones; undefined when there are none. */
  more: (() => void) | undefined;
}

function RunLink({ runId }: { runId: string | null }) {
  if (runId === null) return null;
  if (!runId.startsWith('bat_'))
    return (
      <Link to="/workflow-runs/$runId" params={{ runId }}>
        Open the run
      </Link>
    );
  return (
    <Link to="/runs/batches/$batchId" params={{ batchId: runId }}>
      Open the run
    </Link>
  );
}

/** The failed inputs of a firing's run, which lead to their causes. */
function FailedLink({ firing }: { firing: Firing }) {
  const { run, run_id: runId } = firing;
  if (!run || runId === null) return <span className="soft">–</span>;
  if (run.failed === 0) return <span className="soft">0</span>;
  const text = formatNumber(run.failed);
  return runId.startsWith('bat_') ? (
    <Link
      to="/runs/batches/$batchId"
      params={{ batchId: runId }}
      search={{ tab: 'failures' }}
      className="bad-text"
    >
      {text}
    </Link>
  ) : (
    <Link to="/workflow-runs/$runId" params={{ runId }} className="bad-text">
      {text}
    </Link>
  );
}

/** What became of a firing: of its run, when it has one. */
function Outcome({ firing }: { firing: Firing }) {
  const { outcome, run } = firing;
  if (outcome !== 'started' || run === null) return <Status {...OUTCOMES[outcome]} />;
  if (run.status === 'succeeded' && run.failed > 0)
    return <Status status="attention" word={`${formatNumber(run.failed)} failed`} />;
  return <Status status={run.status} />;
}

const COLUMNS: readonly PlainColumn<Firing>[] = [
  { header: 'Due', cell: ({ scheduled_at: at }) => <When at={at} /> },
  { header: 'Outcome', cell: (firing) => <Outcome firing={firing} /> },
  { header: 'Fired', className: 'soft', cell: ({ cause }) => CAUSE_WORDS[cause] },
  {
    header: 'Succeeded',
    align: 'right',
    cell: ({ run }) =>
      run === null ? (
        <span className="soft">–</span>
      ) : (
        `${formatNumber(run.succeeded)} / ${formatNumber(run.total)}`
      ),
  },
  { header: 'Failed', align: 'right', cell: (firing) => <FailedLink firing={firing} /> },
  { header: 'Run', cell: ({ run_id: runId }) => <RunLink runId={runId} /> },
  { header: 'Reason', className: 'soft', title: reasonOf, cell: reasonOf },
];

/** Firings, newest first, each with what became of its run or the reason why it has none. */
export function FiringTable({ firings, isReading, more }: FiringTableProps) {
  const [shown, setShown] = useState(FIRST);
  if (isReading) return <Loading what="the firings" />;
  if (firings.length === 0) return <p className="soft">Nothing has fired yet.</p>;
  const hasMore = firings.length > shown;
  const hasReasons = firings.slice(0, shown).some((firing) => reasonOf(firing) !== '');
  return (
    <>
      <PlainTable
        label="Firings"
        rows={firings.slice(0, shown)}
        rowKey={({ id }) => id}
        columns={hasReasons ? COLUMNS : COLUMNS.filter(({ header }) => header !== 'Reason')}
      />
      {(hasMore || more) && (
        <div>
          <Button
            variant="default"
            onClick={() => {
              if (hasMore) setShown(shown + 100);
              else more?.();
            }}
          >
            Earlier ones
          </Button>
        </div>
      )}
    </>
  );
}
