import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { useNavigate } from '@tanstack/react-router';
import { formatNumber, shortUrl, formatTook } from '../format/format.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import type { Chosen } from '../parts/use-chosen.ts';
import { RunStatus } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetName } from '../targets/target-name.tsx';
import { Progress } from './progress.tsx';
import { RunLink } from './run-link.tsx';
import { runPlace } from './run-place.ts';
import type { RunRow } from './run-row.ts';
import styles from './runs.module.css';

/** A run whose pages seem wrong isn't green. */
function RunState({ run: { status, failed, target, finishedAt } }: { run: RunRow }) {
  const own = <RunStatus status={status} failed={failed} isCounted />;
  if (status !== 'succeeded' && status !== 'running') return own;
  return (
    <AlarmBadge parserId={target && parserIdOf(target)} until={finishedAt} isRunning={status === 'running'}>
      {own}
    </AlarmBadge>
  );
}

const COLUMNS: readonly Column<RunRow>[] = [
  { header: 'State', width: '136px', cell: (row) => <RunState run={row} /> },
  { header: 'Kind', isExtra: true, width: '70px', cell: ({ word }) => <span className="soft">{word}</span> },
  {
    header: 'Run',
    width: 'minmax(90px, 3fr)',
    cell: ({ id, kind, title }) => (
      <RunLink id={id} title={title}>
        {kind === 'job' ? shortUrl(title) : title}
      </RunLink>
    ),
  },
  {
    header: 'Reads',
    isExtra: true,
    width: 'minmax(90px, 1fr)',
    cell: (row) => (
      <span className="soft">
        {row.target ? <TargetName target={row.target} /> : row.word === 'workflow' ? 'its stages' : 'a site'}
      </span>
    ),
  },
  {
    header: 'Progress',
    isExtra: true,
    width: '72px',
    cell: (row) => (row.kind === 'job' ? null : <Progress {...row} />),
  },
  {
    header: 'Done',
    isExtra: true,
    width: 'minmax(96px, max-content)',
    align: 'right',
    cell: ({ kind, succeeded, failed, total }) =>
      kind === 'job' ? '' : `${formatNumber(succeeded + failed)} / ${formatNumber(total)}`,
  },
  {
    header: 'Failed',
    width: '48px',
    align: 'right',
    cell: ({ failed }) => (failed > 0 ? <span className="bad-text">{formatNumber(failed)}</span> : ''),
  },
  {
    header: 'Took',
    isExtra: true,
    width: '76px',
    align: 'right',
    cell: ({ startedAt, finishedAt }) => formatTook(startedAt, finishedAt),
  },
  { header: 'Created', isExtra: true, width: '104px', cell: ({ createdAt }) => <When at={createdAt} /> },
];

interface RunTableProps {
  rows: readonly RunRow[];
  chosen: Chosen<string>;
  hasMore: boolean;
  isReading: boolean;
  onMore: () => void;
}

/** Runs of all kinds, each with a box that chooses it. */
export function RunTable({ rows, chosen, ...paging }: RunTableProps) {
  const navigate = useNavigate();
  const choice: Column<RunRow> = {
    header: '',
    width: '18px',
    cell: ({ id, title }) => (
      <input
        type="checkbox"
        className={styles.choose}
        aria-label={`Choose ${title}`}
        checked={chosen.all.has(id)}
        onChange={() => chosen.toggle(id)}
      />
    ),
  };
  return (
    <DataTable
      label="Runs"
      rows={rows}
      rowId={({ id }) => id}
      onOpen={({ id }) => {
        const place = runPlace(id);
        if (place) void navigate(place);
      }}
      columns={[choice, ...COLUMNS]}
      {...paging}
    />
  );
}
