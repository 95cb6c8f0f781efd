import { Button } from '@mantine/core';
import { useState } from 'react';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { formatNumber } from '../format/format.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Loading, Status } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { CAUSE_WORDS, OUTCOMES, reasonOf, type Firing } from './words.ts';

const FIRST = 20;

interface FiringTableProps {
  /** What the cron reads with; undefined for APIs and workflows. */
  parserId: string | undefined;
  firings: readonly Firing[];
  isReading: boolean;
  /** Reads further ones; undefined when there are none. */
  more: (() => void) | undefined;
}

/** The failed inputs of a firing's run, which lead to their causes. */
function FailedLink({ firing: { run, run_id: runId } }: { firing: Firing }) {
  if (!run || runId === null) return <span className="soft">–</span>;
  if (run.failed === 0) return <span className="soft">0</span>;
  return (
    <RunLink id={runId} tab="failures" className="bad-text">
      {formatNumber(run.failed)}
    </RunLink>
  );
}

/** What became of a firing: of its run, when it has one. */
function Outcome({ firing, parserId }: { firing: Firing; parserId: string | undefined }) {
  const { outcome, run, fired_at: firedAt } = firing;
  if (outcome !== 'started' || run === null) return <Status {...OUTCOMES[outcome]} />;
  if (run.status === 'succeeded' && run.failed > 0)
    return <Status status="attention" word={`${formatNumber(run.failed)} failed`} />;
  if (run.status !== 'succeeded') return <Status status={run.status} />;
  return (
    <AlarmBadge parserId={parserId} until={firedAt}>
      <Status status="succeeded" />
    </AlarmBadge>
  );
}

const COLUMNS: readonly PlainColumn<Firing>[] = [
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
  { header: 'Run', cell: ({ run_id: id }) => id !== null && <RunLink id={id}>Open the run</RunLink> },
  { header: 'Reason', className: 'soft', title: reasonOf, cell: reasonOf },
];

/** Firings, newest first, each with what became of its run or the reason why it has none. */
export function FiringTable({ firings, parserId, isReading, more }: FiringTableProps) {
  const [shown, setShown] = useState(FIRST);
  if (isReading) return <Loading what="the firings" />;
  if (firings.length === 0) return <p className="soft">Nothing has fired yet.</p>;
  const hasMore = firings.length > shown;
  const columns: readonly PlainColumn<Firing>[] = [
    { header: 'Due', cell: ({ scheduled_at: at }) => <When at={at} /> },
    { header: 'Outcome', cell: (firing) => <Outcome firing={firing} parserId={parserId} /> },
    ...COLUMNS,
  ];
  const hasReasons = firings.slice(0, shown).some((firing) => reasonOf(firing) !== '');
  return (
    <>
      <PlainTable
        label="Firings"
        rows={firings.slice(0, shown)}
        rowKey={({ id }) => id}
        columns={hasReasons ? columns : columns.filter(({ header }) => header !== 'Reason')}
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
            Show earlier firings
          </Button>
        </div>
      )}
    </>
  );
}
