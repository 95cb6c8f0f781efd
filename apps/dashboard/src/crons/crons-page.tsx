import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { IconPlus } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { sentenceOf } from './sentence.ts';
import { OUTCOMES } from './words.ts';

type Cron = CallOutput<'listCrons'>['crons'][number];

const LIVE_MS = 15_000;

/** Whether a cron fires, and why not. */
export function CronStatus({
  cron: { enabled, paused_reason },
}: {
  cron: Pick<Cron, 'enabled' | 'paused_reason'>;
}) {
  if (enabled) return <Status status="succeeded" word="active" />;
  return paused_reason === null ? (
    <Status status="cancelled" word="paused" />
  ) : (
    <span title={paused_reason}>
      <Status status="attention" word="paused itself" />
    </span>
  );
}

/** All crons with their schedule in words, and what happened last. */
export function CronsPage() {
  const navigate = useNavigate();
  const query = useInfiniteQuery({ ...listQuery('listCrons', { query: {} }), refetchInterval: LIVE_MS });
  const add = (
    <Button leftSection={<IconPlus size={14} />} onClick={() => void navigate({ to: '/crons/new' })}>
      New cron
    </Button>
  );
  return (
    <Page title="Crons" actions={add}>
      <Listed
        label="Crons"
        query={query}
        rowsOf={(page) => page.crons}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/crons/$cronId', params: { cronId: id } })}
        empty={
          <Empty title="No cron yet">
            <p>
              A cron reads the same pages again and again, by the clock of a place, and keeps a table up to
              date.
            </p>
            {add}
          </Empty>
        }
        columns={[
          {
            id: 'state',
            header: 'State',
            width: '120px',
            cell: (cron) => <CronStatus cron={cron} />,
          },
          {
            id: 'name',
            header: 'Name',
            width: 'minmax(140px, 1fr)',
            cell: ({ id, name }) => (
              <Link to="/crons/$cronId" params={{ cronId: id }}>
                {name}
              </Link>
            ),
          },
          {
            id: 'schedule',
            isExtra: true,
            header: 'Fires',
            width: 'minmax(200px, 1.6fr)',
            cell: ({ schedule, timezone }) => (
              <span title={`${schedule}, ${timezone}`}>
                {sentenceOf(schedule) ?? schedule} <span className="soft">{timezone}</span>
              </span>
            ),
          },
          {
            id: 'target',
            isExtra: true,
            header: 'Reads',
            width: 'minmax(110px, 1fr)',
            cell: ({ target }) => <TargetLink target={target} />,
          },
          {
            id: 'inputs',
            isExtra: true,
            header: 'Pages',
            width: '70px',
            align: 'right',
            cell: ({ input_count }) => formatNumber(input_count),
          },
          {
            id: 'last',
            isExtra: true,
            header: 'Last',
            width: '170px',
            cell: ({ last_firing }) =>
              last_firing === null ? (
                <span className="soft">never</span>
              ) : (
                <span className="row" style={{ gap: 6 }}>
                  <Status {...OUTCOMES[last_firing.outcome]} />
                  <span className="soft truncate">
                    <When at={last_firing.scheduled_at} />
                  </span>
                </span>
              ),
          },
          {
            id: 'next',
            header: 'Next',
            width: '120px',
            cell: ({ next_run_at }) => <When at={next_run_at} />,
          },
        ]}
      />
    </Page>
  );
}
