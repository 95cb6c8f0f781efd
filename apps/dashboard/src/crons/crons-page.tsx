import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { listQuery, type CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';
import type { Column } from '../parts/data-table.tsx';
import { AddButton, ListPage } from '../parts/listed.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Status } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { CronStatus } from './cron-status.tsx';
import { sentenceOf } from './sentence.ts';
import { OUTCOMES } from './words.ts';

type Cron = CallOutput<'listCrons'>['crons'][number];

const LIVE_MS = 15_000;

function LastFiring({ firing }: { firing: Cron['last_firing'] }) {
  if (firing === null) return <span className="soft">never</span>;
  return (
    <span className="row">
      <Status {...OUTCOMES[firing.outcome]} />
      <span className="soft truncate">
        <When at={firing.scheduled_at} />
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<Cron>[] = [
  { header: 'State', width: '130px', cell: (cron) => <CronStatus cron={cron} /> },
  {
    header: 'Fires',
    isExtra: true,
    width: 'minmax(200px, 1.6fr)',
    cell: ({ schedule, timezone }) => (
      <span title={`${schedule}, ${timezone}`}>
        {sentenceOf(schedule) ?? schedule} <span className="soft">{timezone}</span>
      </span>
    ),
  },
  {
    header: 'Reads',
    isExtra: true,
    width: 'minmax(110px, 1fr)',
    cell: ({ target }) => <TargetLink target={target} />,
  },
  {
    header: 'Pages',
    isExtra: true,
    width: '70px',
    align: 'right',
    cell: ({ input_count: count }) => formatNumber(count),
  },
  { header: 'Last', isExtra: true, width: '170px', cell: (cron) => <LastFiring firing={cron.last_firing} /> },
  { header: 'Next', width: '90px', cell: ({ next_run_at: at }) => <When at={at} /> },
];

/** All crons with their schedule in words, and what happened last. */
export function CronsPage() {
  const query = useInfiniteQuery({
    ...listQuery('listCrons', { query: useListSearch() }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
  return (
    <ListPage
      title="Crons"
      query={query}
      rowsOf={(page) => page.crons}
      columns={COLUMNS}
      placeOf={({ id }) => linkOptions({ to: '/crons/$cronId', params: { cronId: id } })}
      add={<AddButton to={linkOptions({ to: '/crons/new' })}>New cron</AddButton>}
      empty={{
        title: 'No cron yet',
        about: 'A cron reads the same pages on a schedule and keeps a table up to date.',
      }}
    />
  );
}
