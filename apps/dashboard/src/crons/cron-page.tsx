import { Button, Menu, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operationQuery, useChange, type CallOutput } from '../api/call.ts';
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
import { CronStatus } from './cron-status.tsx';
import styles from './crons.module.css';
import { FiringStrip, usePreview } from './firing-strip.tsx';
import { formatNumber, localText, plural } from '../format/format.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { CopyId } from '../parts/copy.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { catchupText, OVERLAP_WORDS, sentenceOf } from './words.ts';
import { PastFirings } from './past-firings.tsx';

/** What a cron reads, where its rows go, and its limits. */
export function CronFacts({ cron }: { cron: Cron }) {
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
        [
          'Rows go to',
          sink?.mode === 'database' && (
            <Link
              to="/databases/$databaseId/$table"
              params={{ databaseId: sink.database, table: sink.table }}
            >
              {sink.table}
            </Link>
          ),
        ],
        ['If unfinished', OVERLAP_WORDS[cron.overlap]],
        ['If missed', catchupText(cron.catchup_seconds)],
        [
          'Pauses after',
          <>
            {plural(cron.pause_after_failures, 'failure')} in a row
            {cron.failures > 0 && <span className="bad-text">, {formatNumber(cron.failures)} so far</span>}
          </>,
        ],
        ['Spends at most', maxCredits !== null && `${plural(maxCredits, 'credit')} a firing`],
        ['Created', <When at={cron.created_at} />],
        ['Id', <CopyId id={cron.id} />],
      ]}
    />
  );
}

type Cron = CallOutput<'getCron'>;

const LIVE_MS = 5_000;
/** What an action on a cron may change. */
const STALE = ['listCronRuns', 'getCron', 'listCrons'];

/** When a cron fires next, in words and as times. */
export function NextFirings({ cron }: { cron: Cron }) {
  const { schedule, timezone } = cron;
  const preview = usePreview(schedule, timezone, cron.next_run_at);
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

const DAY_MS = 86_400_000;

const NOTHING_TO_RUN = 'Nothing to run: every firing in this period has run.';

function priceText({
  firings,
  inputs,
  credits,
}: {
  firings: number;
  inputs: number;
  credits: { most: number };
}) {
  return firings === 0
    ? NOTHING_TO_RUN
    : `${plural(firings, 'firing')} with ${plural(inputs, 'input')} in all, for at most ${plural(credits.most, 'credit')}.`;
}

/** Makes up for the firings of a time in the past. */
function BackfillDialog({ cron, onClose }: { cron: Cron; onClose: () => void }) {
  const form = useForm({
    initialValues: {
      from: localText(Math.max(Date.now() - DAY_MS, Date.parse(cron.created_at))),
      to: localText(Date.now()),
    },
  });
  const { from, to } = form.values;
  const isReady = from !== '' && to !== '' && from <= to;
  const params = { id: cron.id };
  const body = isReady ? { from: new Date(from).toISOString(), to: new Date(to).toISOString() } : undefined;
  const price = useQuery({
    queryKey: ['backfillCron', cron.id, body],
    queryFn:
      body &&
      (({ signal }) => call('backfillCron', { params, body: { ...body, dry_run: true } }, { signal })),
    enabled: body !== undefined,
    retry: false,
  });
  const backfill = useChange(() => call('backfillCron', { params, body: body ?? { from, to } }), {
    stale: STALE,
  });
  const queued = backfill.data && 'queued' in backfill.data ? backfill.data.queued : undefined;
  return (
    <FormDialog title="Backfill" onClose={onClose} sent={backfill} submit="Backfill" isReady={isReady}>
      <p className="soft">
        Runs the firings between these times that had no run: one after another, oldest first, at most 100.
        The times are in your own time zone.
      </p>
      <div className="row">
        <TextInput type="datetime-local" label="From" {...form.getInputProps('from')} />
        <TextInput type="datetime-local" label="To" {...form.getInputProps('to')} />
      </div>
      {queued === undefined && (
        <Loaded query={price} what="the price">
          {(dry) => 'dry_run' in dry && <p role="status">{priceText(dry)}</p>}
        </Loaded>
      )}
      {queued !== undefined && (
        <p role="status">
          {queued === 0 ? NOTHING_TO_RUN : `${plural(queued, 'firing waits', 'firings wait')} to run.`}
        </p>
      )}
    </FormDialog>
  );
}

/** Edit, backfill and delete. */
function MoreMenu({ cron }: { cron: Cron }) {
  const { id, name } = cron;
  const navigate = useNavigate();
  const [isBackfilling, setBackfilling] = useState(false);
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
                run: () => call('deleteCron', { params: { id } }),
                stale: ['listCrons'],
                onDone: () => navigate({ to: '/crons' }),
                children: 'It stops firing and its history is deleted. Its runs and rows stay.',
              },
            },
          ]}
        />
      </Menu>
      {isBackfilling && <BackfillDialog cron={cron} onClose={() => setBackfilling(false)} />}
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
