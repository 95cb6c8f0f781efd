import { linkOptions } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { column, extra, numberColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { AddButton, ListPage } from '../parts/listed.tsx';
import { useFound } from '../parts/list-search.ts';
import { When } from '../parts/when.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetLink } from '../targets/target-link.tsx';
import { CronStatus } from './cron-status.tsx';
import { FiringOutcome } from './past-firings.tsx';
import { sentenceOf } from './words.ts';

type Cron = CallOutput<'listCrons'>['crons'][number];

const LIVE_MS = 15_000;

function LastFiring({ cron: { last_firing: firing, target, enabled } }: { cron: Cron }) {
  if (firing === null) return <span className="soft">never</span>;
  return (
    <span className="row">
      <FiringOutcome firing={firing} parserId={parserIdOf(target)} isSaid={enabled} />
      <span className="soft truncate">
        <When at={firing.scheduled_at} />
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<Cron>[] = [
  column('State', '130px', (cron) => <CronStatus cron={cron} />),
  extra(
    column('Fires', 'minmax(200px, 1.6fr)', ({ schedule, timezone }) => (
      <span title={`${schedule}, ${timezone}`}>
        {sentenceOf(schedule) ?? schedule} <span className="soft">{timezone}</span>
      </span>
    )),
  ),
  extra(column('Reads', 'minmax(110px, 1fr)', ({ target }) => <TargetLink target={target} />)),
  extra(numberColumn('Pages', '70px', (cron) => cron.input_count)),
  extra(column('Last', '170px', (cron) => <LastFiring cron={cron} />)),
  column('Next', '90px', (cron) => <When at={cron.next_run_at} />),
];

/** All crons with their schedule in words, and what happened last. */
export function CronsPage() {
  return (
    <ListPage
      title="Crons"
      query={useFound('listCrons', { refetchInterval: LIVE_MS })}
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
