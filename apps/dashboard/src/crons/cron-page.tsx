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
import { Page, Failure, Loaded } from '../parts/page.tsx';
import { MenuActions } from '../parts/row-menu.tsx';
import { CronFacts, NextFirings } from './cron-facts.tsx';
import { CronStatus } from './cron-status.tsx';
import { localText, plural } from '../format/format.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { PastFirings } from './past-firings.tsx';

type Cron = CallOutput<'getCron'>;

const LIVE_MS = 5_000;
/** What an action on a cron may change. */
const STALE = ['listCronRuns', 'getCron', 'listCrons'];

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
