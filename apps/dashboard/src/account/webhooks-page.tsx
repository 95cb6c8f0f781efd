import { ActionIcon, Button, Checkbox, Menu, Modal, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { WEBHOOK_EVENTS, type DeliveryState, type WebhookEvent } from '@gleaner/contracts/values';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { shortUrl } from '../format/shorten.ts';
import { choicesOf } from '../parts/choices.ts';
import { Confirm } from '../parts/confirm.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { IconDotsVertical, IconPlus } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Failure } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { DeliveryDialog, type Delivery } from './delivery-dialog.tsx';

type Webhook = CallOutput<'listWebhooks'>['webhooks'][number];

const EVENTS = {
  'job.finished': 'A job has finished',
  'batch.finished': 'A batch has finished',
  'workflow_run.finished': 'A workflow run has finished',
  'cron.fired': 'A cron has started a run',
  'cron.failed': 'A cron could not start a run, or its run failed',
  'parser.drift': 'A parser no longer finds what it found',
  'credits.low': 'Credits run low',
} satisfies Record<WebhookEvent, string>;

const DELIVERY_WORDS = {
  pending: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
} satisfies Record<DeliveryState, string>;

function NewWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<WebhookEvent[]>(['batch.finished']);
  const create = useMutation({
    mutationFn: () => call('createWebhook', { body: { url, events } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['listWebhooks'] }),
  });
  const close = (): void => {
    create.reset();
    setUrl('');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={create.data ? 'Secret of the webhook' : 'New webhook'}>
      {create.data ? (
        <div className="stack">
          <p>It signs what is sent (Standard Webhooks), so that your server can check it. Shown this once.</p>
          <CodeBlock text={create.data.secret} label="Secret" />
          <div>
            <Button onClick={close}>I have copied it</Button>
          </div>
        </div>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate();
          }}
        >
          <TextInput
            label="Address of your server"
            placeholder="https://example.com/hooks/gleaner"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            data-autofocus
          />
          <Checkbox.Group
            label="Call it when"
            value={events}
            onChange={(values) => setEvents(WEBHOOK_EVENTS.filter((event) => values.includes(event)))}
          >
            <div className="stack" style={{ gap: 6, marginTop: 6 }}>
              {choicesOf(EVENTS).map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </div>
          </Checkbox.Group>
          {create.error !== null && <Failure error={create.error} />}
          <div>
            <Button type="submit" disabled={url === '' || events.length === 0} loading={create.isPending}>
              Create
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}

function WebhookLine({ webhook, onDelete }: { webhook: Webhook; onDelete: () => void }) {
  const client = useQueryClient();
  const toggle = useMutation({
    mutationFn: () =>
      call('updateWebhook', { params: { id: webhook.id }, body: { enabled: !webhook.enabled } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['listWebhooks'] }),
  });
  return (
    <li className="row" style={{ minHeight: 36, borderBottom: '1px solid var(--line)' }}>
      <Status
        status={webhook.enabled ? 'succeeded' : webhook.disabled_reason === null ? 'cancelled' : 'attention'}
        word={webhook.enabled ? 'on' : 'off'}
      />
      <span className="grow truncate" title={webhook.url}>
        {shortUrl(webhook.url)}{' '}
        <span className="soft small">{webhook.disabled_reason ?? webhook.events.join(', ')}</span>
      </span>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`More for ${webhook.url}`}>
            <IconDotsVertical size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => toggle.mutate()}>
            {webhook.enabled ? 'Switch off' : 'Switch on'}
          </Menu.Item>
          <Menu.Item color="red" onClick={onDelete}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

/** Webhooks and their deliveries. */
export function WebhooksPage() {
  const { status } = useSearch({ from: '/app/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const client = useQueryClient();
  const webhooks = useInfiniteQuery(listQuery('listWebhooks', { query: {} }));
  const deliveries = useInfiniteQuery({
    ...listQuery('listDeliveries', { query: status === undefined ? {} : { status } }),
    refetchInterval: 10_000,
  });
  const [isAdding, setAdding] = useState(false);
  const [doomed, setDoomed] = useState<Webhook | undefined>();
  const [shown, setShown] = useState<Delivery | undefined>();
  const found = webhooks.data?.pages.flatMap((page) => page.webhooks) ?? [];
  return (
    <Page
      title="Webhooks"
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
          New webhook
        </Button>
      }
    >
      <div style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
        <section style={{ padding: '4px 20px 16px', flex: 'none' }} aria-label="Webhooks">
          {webhooks.error !== null && (
            <Failure error={webhooks.error} onRetry={() => void webhooks.refetch()} />
          )}
          {webhooks.data !== undefined && found.length === 0 && (
            <p className="soft" style={{ padding: '14px 0' }}>
              No webhook yet. Gleaner can call your server when work ends, so that it need not ask.
            </p>
          )}
          <ul style={{ listStyle: 'none', margin: 0, padding: 0 }}>
            {found.map((webhook) => (
              <WebhookLine key={webhook.id} webhook={webhook} onDelete={() => setDoomed(webhook)} />
            ))}
          </ul>
        </section>
        <div className="filters" style={{ borderTop: '1px solid var(--line)' }}>
          <h2 className="grow">Deliveries</h2>
          <Select
            aria-label="State"
            placeholder="Any state"
            clearable
            w={140}
            data={choicesOf(DELIVERY_WORDS)}
            value={status ?? null}
            onChange={(value) => void navigate({ search: value === null ? {} : { status: value } })}
          />
        </div>
        <div style={{ flex: 1, minHeight: 200 }}>
          <Listed
            label="Deliveries"
            query={deliveries}
            rowsOf={(page) => page.deliveries}
            rowId={({ id }) => id}
            onOpen={setShown}
            empty={
              <p className="state soft">
                {status ? 'No delivery is in this state.' : 'Nothing was sent yet.'}
              </p>
            }
            columns={[
              {
                id: 'status',
                header: 'State',
                width: '110px',
                cell: (one) => <Status status={one.status} />,
              },
              {
                id: 'event',
                header: 'Event',
                width: '150px',
                cell: (one) => (
                  <button type="button" className="link" onClick={() => setShown(one)}>
                    {one.event}
                  </button>
                ),
              },
              {
                id: 'url',
                isExtra: true,
                header: 'To',
                width: 'minmax(140px, 1fr)',
                cell: ({ url }) => <span className="soft">{shortUrl(url)}</span>,
              },
              {
                id: 'answer',
                isExtra: true,
                header: 'Answer',
                width: 'minmax(100px, 1fr)',
                cell: (one) => <span className="soft">{one.response_status ?? one.error ?? ''}</span>,
              },
              {
                id: 'attempts',
                isExtra: true,
                header: 'Attempts',
                width: '80px',
                align: 'right',
                cell: (one) => one.attempts,
              },
              { id: 'when', header: 'Created', width: '120px', cell: (one) => <When at={one.created_at} /> },
            ]}
          />
        </div>
      </div>
      <NewWebhook opened={isAdding} onClose={() => setAdding(false)} />
      <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />
      <Confirm
        opened={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        title="Delete this webhook"
        action="Delete webhook"
        run={async () => {
          if (doomed) await call('deleteWebhook', { params: { id: doomed.id } });
          await client.invalidateQueries({ queryKey: ['listWebhooks'] });
        }}
      >
        {doomed?.url} is not called any more, and its deliveries are removed.
      </Confirm>
    </Page>
  );
}
