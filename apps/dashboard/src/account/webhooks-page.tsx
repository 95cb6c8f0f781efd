import { DELIVERY_STATES, type WebhookEvent } from '@gleaner/contracts/values';
import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, listQuery, useChange, type CallOutput } from '../api/call.ts';
import { shortUrl } from '../format/format.ts';
import { ActionButton, OpenButton } from '../parts/buttons.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { column, extra, numberColumn, softColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import { FormDialog, SecretDialog } from '../parts/form-dialog.tsx';
import { IconPlus, IconRefresh } from '../parts/icons.ts';
import { Listed, NoMatch } from '../parts/listed.tsx';
import { isNothing, useListSearch, useFound } from '../parts/list-search.ts';
import { Filters, Page, Status, statusChoices, Facts, Failure } from '../parts/page.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { When } from '../parts/when.tsx';
import styles from './account.module.css';
import {
  changeFilterText,
  NO_CHANGE_FILTER,
  writeChangeFilter,
  type ChangeFilterDraft,
} from './change-filter.ts';
import { ChangeFilterFields } from './change-filter-fields.tsx';
import { EventBoxes } from './event-boxes.tsx';

type Webhook = CallOutput<'listWebhooks'>['webhooks'][number];

const STALE = ['listWebhooks'];

/** Makes a webhook, and shows its secret once. */
function NewWebhook({ onClose }: { onClose: () => void }) {
  const form = useForm<{ url: string; events: WebhookEvent[]; changes: ChangeFilterDraft }>({
    initialValues: { url: '', events: ['batch.finished'], changes: NO_CHANGE_FILTER },
  });
  const { url, events, changes } = form.values;
  const isOfRows = events.includes('rows.changed');
  const body = { url, events, ...(isOfRows && { filter: writeChangeFilter(changes) }) };
  const create = useChange(() => call('createWebhook', { body }), { stale: STALE });
  if (create.data)
    return (
      <SecretDialog
        title="Secret of the webhook"
        about="Your server uses it to check that a call comes from Gleaner (Standard Webhooks). It is shown once."
        label="Secret"
        secret={create.data.secret}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="New webhook"
      onClose={onClose}
      sent={create}
      submit="Create"
      isReady={url !== '' && events.length > 0}
    >
      <TextInput
        label="Address of your server"
        placeholder="https://example.com/hooks/gleaner"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label="Call it when" {...form.getInputProps('events')}>
        <div className={`stack tight ${styles.events}`}>
          <EventBoxes />
        </div>
      </Checkbox.Group>
      {isOfRows && (
        <ChangeFilterFields draft={changes} onChange={(next) => form.setFieldValue('changes', next)} />
      )}
    </FormDialog>
  );
}

/** Whether a webhook is called, and why not. */
function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled)
    return <Status status={webhook.disabled_reason === null ? 'cancelled' : 'attention'} word="off" />;
  const isFailing = webhook.paused_until !== null;
  return <Status status={isFailing ? 'attention' : 'succeeded'} word={isFailing ? 'failing' : 'on'} />;
}

function WebhookLine({ webhook }: { webhook: Webhook }) {
  const { id, url, enabled, events, filter, disabled_reason: reason, paused_until: until } = webhook;
  const toggle = useChange(() => call('updateWebhook', { params: { id }, body: { enabled: !enabled } }), {
    stale: STALE,
  });
  const test = useChange(() => call('testWebhook', { params: { id } }), { stale: ['listDeliveries'] });
  return (
    <li className={`row ${styles.line}`}>
      <WebhookState webhook={webhook} />
      <span className={`grow ${styles.address}`} title={url}>
        {shortUrl(url)}{' '}
        <span className="soft small">
          {enabled && until !== null ? (
            <>
              Several calls in a row failed; the others wait. Next try <When at={until} />
            </>
          ) : (
            (reason ?? [...events, changeFilterText(filter)].filter((text) => text !== '').join(', '))
          )}
        </span>
      </span>
      <RowMenu
        name={url}
        actions={[
          { label: enabled ? 'Switch off' : 'Switch on', onClick: () => toggle.mutate() },
          ...(enabled ? [{ label: 'Send a test event', onClick: () => test.mutate() }] : []),
          {
            label: 'Delete',
            isRed: true,
            confirm: {
              title: 'Delete this webhook',
              action: 'Delete webhook',
              run: () => call('deleteWebhook', { params: { id } }),
              stale: STALE,
              children: `Gleaner stops calling ${url} and deletes its deliveries.`,
            },
          },
        ]}
      />
    </li>
  );
}

/** The account's webhooks, each with a switch. */
function WebhookList() {
  const { search } = useListSearch();
  const webhooks = useFound('listWebhooks');
  const found = webhooks.data?.pages.flatMap((page) => page.webhooks);
  return (
    <section className={styles.webhooks} aria-label="Webhooks">
      <Failure error={webhooks.error} onRetry={() => void webhooks.refetch()} />
      {found?.length === 0 && search !== undefined && <NoMatch text={search} />}
      {found?.length === 0 && search === undefined && (
        <p className="soft">
          No webhook yet. Gleaner can call your server when work ends, so your server does not have to poll.
        </p>
      )}
      <ul>
        {found?.map((webhook) => (
          <WebhookLine key={webhook.id} webhook={webhook} />
        ))}
      </ul>
    </section>
  );
}

type Delivery = CallOutput<'listDeliveries'>['deliveries'][number];

/** One delivery: the request, the response, and a button to send it again. */
function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const { next_attempt_at: nextAt, response_status: answer } = delivery;
  const replay = useChange(() => call('replayDelivery', { params: { deliveryId: delivery.id } }), {
    stale: ['listDeliveries'],
    onDone: onClose,
  });
  return (
    <Modal opened onClose={onClose} title={delivery.event} size="lg">
      <div className="stack">
        <Facts
          facts={[
            ['State', <Status status={delivery.status} />],
            ['Sent to', delivery.url],
            ['Attempts', delivery.attempts],
            ['Next attempt', nextAt !== null && <When at={nextAt} />],
            ['Error', delivery.error ?? undefined],
            [
              'Answer',
              answer !== null && (
                <>
                  {answer} <code>{delivery.response_body?.slice(0, 300)}</code>
                </>
              ),
            ],
          ]}
        />
        <CodeBlock text={JSON.stringify(delivery.payload, null, 2)} label="What Gleaner sends" />
        <Failure error={replay.error} />
        <div>
          <ActionButton isMain icon={IconRefresh} loading={replay.isPending} onClick={() => replay.mutate()}>
            Send again
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}

const LIVE_MS = 10_000;

function columnsOf(onOpen: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    column('State', '96px', ({ status }) => <Status status={status} />),
    column('Event', 'minmax(110px, 1fr)', (one) => (
      <button type="button" className="link" onClick={() => onOpen(one)}>
        {one.event}
      </button>
    )),
    extra(softColumn('To', 'minmax(140px, 1fr)', ({ url }) => shortUrl(url))),
    extra(softColumn('Answer', 'minmax(100px, 1fr)', (one) => one.response_status ?? one.error)),
    extra(numberColumn('Attempts', '80px', ({ attempts }) => attempts)),
    column('Created', '104px', (one) => <When at={one.created_at} />),
  ];
}

function Deliveries() {
  const { status } = useSearch({ from: '/app/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const query = useInfiniteQuery({
    ...listQuery('listDeliveries', { query: { status } }),
    refetchInterval: LIVE_MS,
  });
  const [shown, setShown] = useState<Delivery | undefined>();
  return (
    <>
      <Filters>
        <h2 className="grow">Deliveries</h2>
        <FilterSelect
          label="State"
          w={140}
          data={statusChoices(DELIVERY_STATES)}
          value={status}
          onChange={(state) => void navigate({ search: (known) => ({ ...known, status: state }) })}
        />
      </Filters>
      <div className="fill">
        <Listed
          label="Deliveries"
          query={query}
          rowsOf={(page): readonly Delivery[] => page.deliveries}
          rowId={({ id }) => id}
          onOpen={setShown}
          columns={columnsOf(setShown)}
          empty={<p className="state soft">{status ? 'No deliveries match.' : 'Nothing was sent yet.'}</p>}
        />
      </div>
      {shown && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

/** Webhooks and their deliveries. */
export function WebhooksPage() {
  const { search } = useListSearch();
  const query = useFound('listWebhooks');
  const isEmpty = search === undefined && isNothing(query, ({ webhooks }) => webhooks);
  return (
    <Page
      title="Webhooks"
      filters={isEmpty ? undefined : <SearchField label="Search in Webhooks" placeholder="Address or id" />}
      actions={
        <OpenButton isMain icon={IconPlus} dialog={(close) => <NewWebhook onClose={close} />}>
          New webhook
        </OpenButton>
      }
    >
      <div className="column">
        <WebhookList />
        <Deliveries />
      </div>
    </Page>
  );
}
