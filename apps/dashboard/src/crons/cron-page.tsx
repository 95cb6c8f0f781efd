import { Button, Menu } from '@mantine/core';
import { useQuery, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, useEffect } from 'react';
import { call, operationQuery, listQuery, useChange, type CallOutput } from '../api/call.ts';
import { ActionButton } from '../parts/buttons.tsx';
import {
  IconChevronDown,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '../parts/icons.ts';
import { Page, Failure, Loaded, Facts } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { MenuActions } from '../parts/row-menu.tsx';
import { BackfillDialog } from './backfill-dialog.tsx';
import { CronStatus } from './cron-status.tsx';
import styles from './crons.module.css';
import { FiringStrip } from './firing-strip.tsx';
import { sentenceOf } from './sentence.ts';
import { usePreview } from './use-preview.ts';
import { formatNumber, plural } from '../format/format.ts';
import { CopyId } from '../parts/copy.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetLink } from '../targets/target-link.tsx';
import { catchupText, OVERLAP_WORDS } from './words.ts';
import { FiringCalendar } from './firing-calendar.tsx';
import { FiringTable } from './firing-table.tsx';

function Failures({ cron: { pause_after_failures: limit, failures } }: { cron: Cron }) {
  return (
    <>
      {plural(limit, 'failure')} in a row
      {failures > 0 && <span className="bad-text">, {formatNumber(failures)} so far</span>}
    </>
  );
}

function Sink({ database, table }: { database: string; table: string }) {
  return (
    <Link to="/databases/$databaseId/$table" params={{ databaseId: database, table }}>
      {table}
    </Link>
  );
}

/** What a cron reads, where its rows go, and its limits. */
function CronFacts({ cron }: { cron: Cron }) {
  const { sink, url, max_credits: maxCredits } = cron;
  return (
    <Facts
      facts={[
        [
          'Reads',
          <>
            {plural(cron.input_count, 'page')} with <TargetLink target={cron.target} />
          </>,
        ],
        ['Page', url ?? undefined],
        ['Rows go to', sink?.mode === 'database' && <Sink database={sink.database} table={sink.table} />],
        ['If unfinished', OVERLAP_WORDS[cron.overlap]],
        ['If missed', catchupText(cron.catchup_seconds)],
        ['Pauses after', <Failures cron={cron} />],
        ['Spends at most', maxCredits !== null && `${plural(maxCredits, 'credit')} a firing`],
        ['Created', <When at={cron.created_at} />],
        ['Id', <CopyId id={cron.id} />],
      ]}
    />
  );
}

/** Pages of firings that the calendar reads on its own: a cron of every five minutes has many. */
const CALENDAR_PAGES = 5;

/** The firings of a cron: a calendar of the last weeks, and a table. */
function PastFirings({ cron: { id: cronId, timezone: zone, target } }: { cron: Cron }) {
  const firings = useInfiniteQuery({
    ...listQuery('listCronRuns', { params: { id: cronId } }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
  const { hasNextPage, isFetching, fetchNextPage, data } = firings;
  const pageCount = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && pageCount < CALENDAR_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetching, pageCount, fetchNextPage]);
  const rows = data?.pages.flatMap(({ runs }) => runs) ?? [];
  return (
    <section aria-label="Past firings" className="stack">
      <h2>Past firings</h2>
      <FiringCalendar firings={rows} zone={zone} />
      <FiringTable
        firings={rows}
        parserId={parserIdOf(target)}
        isReading={firings.isPending}
        more={hasNextPage && pageCount >= CALENDAR_PAGES ? () => void fetchNextPage() : undefined}
      />
    </section>
  );
}

type Cron = CallOutput<'getCron'>;

const LIVE_MS = 5_000;
/** What an action on a cron may change. */
const STALE = ['listCronRuns', 'getCron', 'listCrons'];

function NextFirings({ cron }: { cron: Cron }) {
  const { schedule, timezone } = cron;
  const preview = usePreview(schedule, timezone, { nextAt: cron.next_run_at });
  return (
    <section aria-label="Next firings" className="stack tight">
      <h2 className={styles.schedule}>
        {sentenceOf(schedule) ?? schedule}, {timezone} <code className="soft nowrap">{schedule}</code>
      </h2>
      {cron.enabled ? (
        <Loaded query={preview} what="the next firings">
          {({ times }) => <FiringStrip times={times} zone={timezone} schedule={schedule} />}
        </Loaded>
      ) : (
        <p className="soft">Paused: it fires only when you trigger it.</p>
      )}
    </section>
  );
}

/** Edit, backfill and delete. */
function MoreMenu({ cron: { id, name } }: { cron: Cron }) {
  const navigate = useNavigate();
  const [isBackfilling, setBackfilling] = useState(false);
  const remove = useChange(() => call('deleteCron', { params: { id } }), {
    stale: ['listCrons'],
    onDone: () => navigate({ to: '/crons' }),
  });
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} />}>
            More
          </Button>
        </Menu.Target>
        <MenuActions
          actions={[
            {
              label: 'Edit',
              icon: IconPencil,
              onClick: () => void navigate({ to: '/crons/$cronId/edit', params: { cronId: id } }),
            },
            { label: 'Backfill', icon: IconHistory, onClick: () => setBackfilling(true) },
            {
              label: 'Delete',
              icon: IconTrash,
              confirm: {
                title: 'Delete this cron',
                typed: name,
                action: 'Delete cron',
                run: () => remove.mutateAsync(),
                children: 'It stops firing and its history is deleted. Its runs and rows stay.',
              },
            },
          ]}
        />
      </Menu>
      {isBackfilling && <BackfillDialog cronId={id} stale={STALE} onClose={() => setBackfilling(false)} />}
    </>
  );
}

/** One cron: when it fires next, what became of the firings before, and the ways to change it. */
export function CronPage() {
  const { cronId } = useParams({ from: '/app/crons/$cronId' });
  const params = { id: cronId };
  const query = useQuery({ ...operationQuery('getCron', { params }), refetchInterval: LIVE_MS });
  const trigger = useChange(() => call('triggerCron', { params }), { stale: STALE });
  const enable = useChange((enabled: boolean) => call('updateCron', { params, body: { enabled } }), {
    stale: STALE,
  });
  const cron = query.data;
  return (
    <Page
      title={cron?.name ?? 'Cron'}
      crumbs={[<Link to="/crons">Crons</Link>]}
      aside={cron && <CronStatus cron={cron} />}
      padded
      actions={
        cron && (
          <>
            <ActionButton
              icon={cron.enabled ? IconPlayerPause : IconPlayerPlay}
              loading={enable.isPending}
              onClick={() => enable.mutate(!cron.enabled)}
            >
              {cron.enabled ? 'Pause' : 'Resume'}
            </ActionButton>
            <MoreMenu cron={cron} />
            <ActionButton
              isMain
              icon={IconPlayerPlay}
              loading={trigger.isPending}
              onClick={() => trigger.mutate()}
            >
              Trigger now
            </ActionButton>
          </>
        )
      }
    >
      <Loaded query={query} what="the cron">
        {(loaded) => (
          <div className="stack loose">
            <Failure error={trigger.error ?? enable.error} />
            {loaded.paused_reason !== null && !loaded.enabled && (
              <div className="notice bad" role="alert">
                <div>
                  <strong>This cron paused itself:</strong> {loaded.paused_reason}. Fix the cause, then resume
                  the cron.
                </div>
              </div>
            )}
            <NextFirings cron={loaded} />
            <div className="columns">
              <PastFirings cron={loaded} />
              <CronFacts cron={loaded} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
