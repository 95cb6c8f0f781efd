import type { WebhookEvent } from '@gleaner/contracts/values';
import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { faultAt } from '../api/problem.ts';
import { call, useChange, type CallOutput } from '../api/call.ts';
import { OpenButton } from '../parts/buttons.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { IconPlus } from '../parts/icons.ts';
import { NoMatch } from '../parts/listed.tsx';
import { isNothing, useFound, useListSearch } from '../parts/list-search.ts';
import { Failure, Page, Status } from '../parts/page.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { SearchField } from '../parts/search-field.tsx';
import styles from './account.module.css';
import {
  changeFilterText,
  NO_CHANGE_FILTER,
  writeChangeFilter,
  type ChangeFilterDraft,
} from './change-filter.ts';
import { AlertTargetFields, CHANNEL_WORDS, toOf, useFirstTarget, type AlertTarget } from './alert-target.tsx';
import { ChangeFilterFields } from './change-filter-fields.tsx';
import { EventBoxes } from './event-boxes.tsx';

type Alert = CallOutput<'listAlerts'>['alerts'][number];

const STALE = ['listAlerts'];

const USUAL_EVENTS = [
  'batch.finished',
  'workflow_run.finished',
  'cron.failed',
  'parser.drift',
  'credits.low',
] as const satisfies readonly WebhookEvent[];

interface AlertValues {
  name: string;
  target: AlertTarget;
  events: WebhookEvent[];
  failed: boolean;
  changes: ChangeFilterDraft;
}

function NewAlert({ onClose }: { onClose: () => void }) {
  const form = useForm<AlertValues>({
    initialValues: {
      name: 'Failures',
      target: useFirstTarget(),
      events: [...USUAL_EVENTS],
      failed: true,
      changes: NO_CHANGE_FILTER,
    },
  });
  const { name, target, events, failed, changes } = form.values;
  const isOfRows = events.includes('rows.changed');
  const filter = { failed, ...(isOfRows && writeChangeFilter(changes)) };
  const create = useChange(() => call('createAlert', { body: { name, events, filter, to: toOf(target) } }), {
    stale: STALE,
    onDone: onClose,
  });
  return (
    <FormDialog
      title="New alert"
      onClose={onClose}
      sent={create}
      submit="Create"
      isReady={name.trim() !== '' && target.where.trim() !== '' && events.length > 0}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <AlertTargetFields
        target={target}
        onChange={(next) => form.setFieldValue('target', next)}
        error={faultAt(create.error, 'to')}
      />
      <Checkbox.Group label="Report when" {...form.getInputProps('events')}>
        <div className={`stack tight ${styles.events}`}>
          <EventBoxes />
        </div>
      </Checkbox.Group>
      {isOfRows && (
        <ChangeFilterFields draft={changes} onChange={(next) => form.setFieldValue('changes', next)} />
      )}
      <Checkbox
        label="Of jobs, batches and workflow runs only those with failures"
        {...form.getInputProps('failed', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

function AlertState({ alert: { enabled, confirmed, disabled_reason: reason } }: { alert: Alert }) {
  if (!enabled) return <Status status={reason === null ? 'cancelled' : 'attention'} word="off" />;
  return confirmed ? (
    <Status status="succeeded" word="on" />
  ) : (
    <Status status="pending" word="not confirmed" />
  );
}

function AlertLine({ alert }: { alert: Alert }) {
  const { id, name, to, events, filter, enabled, confirmed, disabled_reason: reason } = alert;
  const toggle = useChange(() => call('updateAlert', { params: { id }, body: { enabled: !enabled } }), {
    stale: STALE,
  });
  const test = useChange(() => call('testAlert', { params: { id } }), { stale: ['listDeliveries'] });
  return (
    <li className={`row ${styles.line}`}>
      <AlertState alert={alert} />
      <span className={`grow ${styles.address}`}>
        {name}{' '}
        <span className="soft small">
          {CHANNEL_WORDS[to.type]} {to.shown} ·{' '}
          {reason ?? [...events, changeFilterText(filter)].filter((text) => text !== '').join(', ')}
          {test.isSuccess && ' · test sent'}
        </span>
        <Failure error={test.error} />
      </span>
      <RowMenu
        name={name}
        actions={[
          ...(enabled && confirmed ? [{ label: 'Send a test message', onClick: () => test.mutate() }] : []),
          { label: enabled ? 'Switch off' : 'Switch on', onClick: () => toggle.mutate() },
          {
            label: 'Delete',
            isRed: true,
            confirm: {
              title: `Delete ${name}`,
              action: 'Delete alert',
              run: () => call('deleteAlert', { params: { id } }),
              stale: STALE,
              children: 'Gleaner sends nothing more to this address, and deletes what it has sent.',
            },
          },
        ]}
      />
    </li>
  );
}

/** Messages to people: in Slack, Discord, ntfy, by e-mail or at an address. */
export function AlertsPage() {
  const { search } = useListSearch();
  const alerts = useFound('listAlerts');
  const found = alerts.data?.pages.flatMap((page) => page.alerts);
  const isFirst = search === undefined && isNothing(alerts, (page) => page.alerts);
  return (
    <Page
      title="Alerts"
      actions={
        <OpenButton isMain icon={IconPlus} dialog={(close) => <NewAlert onClose={close} />}>
          New alert
        </OpenButton>
      }
      filters={isFirst ? undefined : <SearchField label="Search in Alerts" />}
    >
      <section className={styles.webhooks} aria-label="Alerts">
        <Failure error={alerts.error} onRetry={() => void alerts.refetch()} />
        {found?.length === 0 && search !== undefined && <NoMatch text={search} />}
        {isFirst && (
          <p className="soft">
            No alert yet. Gleaner can write to you when something fails: many failures are one message, and
            what has passed is reported too.
          </p>
        )}
        <ul>
          {found?.map((alert) => (
            <AlertLine key={alert.id} alert={alert} />
          ))}
        </ul>
        {found !== undefined && found.length > 0 && (
          <p className="soft small">
            What was sent is among the deliveries of <Link to="/webhooks">Webhooks</Link>.
          </p>
        )}
      </section>
    </Page>
  );
}
