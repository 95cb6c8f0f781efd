import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { ActionButton } from '../parts/action-button.tsx';
import {
  IconChevronDown,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { MenuActions } from '../parts/row-menu.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { useChange } from '../parts/use-change.ts';
import { BackfillDialog } from './backfill-dialog.tsx';
import { CronFacts } from './cron-facts.tsx';
import { CronStatus } from './cron-status.tsx';
import styles from './crons.module.css';
import { FiringStrip } from './firing-strip.tsx';
import { PastFirings } from './past-firings.tsx';
import { sentenceOf } from './sentence.ts';
import { usePreview } from './use-preview.ts';

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
              <PastFirings cronId={cronId} zone={loaded.timezone} />
              <CronFacts cron={loaded} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
