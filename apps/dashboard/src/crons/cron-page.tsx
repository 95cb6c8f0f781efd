import { Button, Menu } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery, operationQuery } from '../api/queries.ts';
import { formatNumber, plural } from '../format/number.ts';
import { formatSeconds } from '../format/time.ts';
import { CopyId } from '../parts/copy.tsx';
import { Confirm } from '../parts/confirm.tsx';
import {
  IconChevronDown,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { BackfillDialog } from './backfill-dialog.tsx';
import { CronStatus } from './crons-page.tsx';
import { FiringCalendar } from './firing-calendar.tsx';
import { FiringStrip } from './firing-strip.tsx';
import { FiringTable } from './firing-table.tsx';
import { sentenceOf } from './sentence.ts';
import { OVERLAP_WORDS } from './words.ts';

type Cron = CallOutput<'getCron'>;

const LIVE_MS = 5_000;
/** Pages of firings that the calendar reads on its own: a cron of every five minutes has many. */
const CALENDAR_PAGES = 5;

function NextFirings({ cron }: { cron: Cron }) {
  const { schedule, timezone } = cron;
  const preview = useQuery({
    queryKey: ['previewCron', schedule, timezone, cron.next_run_at],
    queryFn: ({ signal }) => call('previewCron', { body: { schedule, timezone } }, { signal }),
  });
  return (
    <Loaded query={preview} what="the next firings">
      {({ times }) => <FiringStrip times={times} zone={timezone} schedule={schedule} />}
    </Loaded>
  );
}

function CronFacts({ cron }: { cron: Cron }) {
  const { sink } = cron;
  return (
    <dl className="facts">
      <dt>Reads</dt>
      <dd>
        {plural(cron.input_count, 'page')} with <TargetLink target={cron.target} />
      </dd>
      {cron.url !== null && (
        <>
          <dt>Page</dt>
          <dd>{cron.url}</dd>
        </>
      )}
      {sink?.mode === 'database' && (
        <>
          <dt>Rows go to</dt>
          <dd>
            <Link
              to="/databases/$databaseId/$table"
              params={{ databaseId: sink.database, table: sink.table }}
            >
              {sink.table}
            </Link>
          </dd>
        </>
      )}
      <dt>If unfinished</dt>
      <dd>{OVERLAP_WORDS[cron.overlap]}</dd>
      <dt>If missed</dt>
      <dd>
        {cron.catchup_seconds === null
          ? 'Made up once, until the next is due'
          : cron.catchup_seconds === 0
            ? 'Left out'
            : `Made up once, within ${formatSeconds(cron.catchup_seconds)}`}
      </dd>
      <dt>Pauses after</dt>
      <dd>
        {plural(cron.pause_after_failures, 'failure')} in a row
        {cron.failures > 0 && <span className="bad-text">, {formatNumber(cron.failures)} so far</span>}
      </dd>
      {cron.max_credits !== null && (
        <>
          <dt>Spends at most</dt>
          <dd>{plural(cron.max_credits, 'credit')} a firing</dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <When at={cron.created_at} />
      </dd>
      <dt>Id</dt>
      <dd>
        <CopyId id={cron.id} />
      </dd>
    </dl>
  );
}

/** One cron: when it fires next, what became of the firings before, and the ways to change it. */
export function CronPage() {
  const { cronId } = useParams({ from: '/app/crons/$cronId' });
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isBackfilling, setBackfilling] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const options = operationQuery('getCron', { params: { id: cronId } });
  const query = useQuery({ ...options, refetchInterval: LIVE_MS });
  const firings = useInfiniteQuery({
    ...listQuery('listCronRuns', { params: { id: cronId } }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['listCronRuns'] });
    await client.invalidateQueries({ queryKey: ['getCron'] });
    await client.invalidateQueries({ queryKey: ['listCrons'] });
  };
  const trigger = useMutation({
    mutationFn: () => call('triggerCron', { params: { id: cronId } }),
    onSettled: refresh,
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => call('updateCron', { params: { id: cronId }, body: { enabled } }),
    onSettled: refresh,
  });
  const { hasNextPage, isFetching, fetchNextPage, data } = firings;
  const pageCount = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && pageCount < CALENDAR_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetching, pageCount, fetchNextPage]);
  const cron = query.data;
  const rows = data?.pages.flatMap(({ runs }) => runs) ?? [];
  return (
    <Page
      title={cron?.name ?? 'Cron'}
      crumbs={<Link to="/crons">Crons</Link>}
      aside={cron && <CronStatus cron={cron} />}
      padded
      actions={
        cron && (
          <>
            <Button
              variant="default"
              leftSection={cron.enabled ? <IconPlayerPause size={14} /> : <IconPlayerPlay size={14} />}
              loading={enable.isPending}
              onClick={() => enable.mutate(!cron.enabled)}
            >
              {cron.enabled ? 'Pause' : 'Resume'}
            </Button>
            <Menu>
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                  More
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconPencil size={14} />}
                  onClick={() => void navigate({ to: '/crons/$cronId/edit', params: { cronId } })}
                >
                  Edit
                </Menu.Item>
                <Menu.Item leftSection={<IconHistory size={14} />} onClick={() => setBackfilling(true)}>
                  Backfill
                </Menu.Item>
                <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => setDeleting(true)}>
                  Delete
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <Button
              leftSection={<IconPlayerPlay size={14} />}
              loading={trigger.isPending}
              onClick={() => trigger.mutate()}
            >
              Trigger now
            </Button>
          </>
        )
      }
    >
      <Loaded query={query} what="the cron">
        {(loaded) => (
          <div className="stack" style={{ gap: 20 }}>
            {trigger.error !== null && <Failure error={trigger.error} />}
            {enable.error !== null && <Failure error={enable.error} />}
            {loaded.paused_reason !== null && !loaded.enabled && (
              <div className="notice bad" role="alert">
                <div>
                  <strong>This cron paused itself:</strong> {loaded.paused_reason}. Mend the cause, then
                  resume it; it goes on from then.
                </div>
              </div>
            )}
            <section aria-label="Next firings" className="stack" style={{ gap: 8 }}>
              <h2 style={{ fontSize: 16 }}>
                {sentenceOf(loaded.schedule) ?? loaded.schedule}, {loaded.timezone}{' '}
                <code className="soft nowrap" style={{ fontWeight: 400 }}>
                  {loaded.schedule}
                </code>
              </h2>
              {loaded.enabled ? (
                <NextFirings cron={loaded} />
              ) : (
                <p className="soft">Paused: nothing fires by itself.</p>
              )}
            </section>
            <div className="columns">
              <div className="stack" style={{ gap: 16 }}>
                <section aria-label="Past firings" className="stack">
                  <h2>Past firings</h2>
                  <FiringCalendar firings={rows} zone={loaded.timezone} />
                  <FiringTable
                    firings={rows}
                    isReading={firings.isPending}
                    more={hasNextPage && pageCount >= CALENDAR_PAGES ? () => void fetchNextPage() : undefined}
                  />
                </section>
              </div>
              <CronFacts cron={loaded} />
            </div>
          </div>
        )}
      </Loaded>
      {isBackfilling && (
        <BackfillDialog
          cronId={cronId}
          opened
          onClose={() => setBackfilling(false)}
          onQueued={() => void refresh()}
        />
      )}
      <Confirm
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this cron"
        typed={cron?.name}
        action="Delete cron"
        run={async () => {
          await call('deleteCron', { params: { id: cronId } });
          await client.invalidateQueries({ queryKey: ['listCrons'] });
          await navigate({ to: '/crons' });
        }}
      >
        It fires no more, and its list of firings goes. Its runs and rows stay.
      </Confirm>
    </Page>
  );
}
