import type { WebhookEvent } from '@gleaner/contracts/values';
import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call, listQuery, useChange, type CallOutput } from '../api/call.ts';
import { shortUrl } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { FormDialog, SecretDialog } from '../parts/form-dialog.tsx';
import { NoMatch } from '../parts/listed.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { Failure, Status } from '../parts/page.tsx';
import { EVENT_WORDS } from './events.ts';
import { When } from '../parts/when.tsx';
import styles from './account.module.css';

type Webhook = CallOutput<'listWebhooks'>['webhooks'][number];

const STALE = ['listWebhooks'];

/** Makes a webhook, and shows its secret once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const form = useForm<{ url: string; events: WebhookEvent[] }>({
    initialValues: { url: '', events: ['batch.finished'] },
  });
  const { url, events } = form.values;
  const create = useChange(() => call('createWebhook', { body: { url, events } }), { stale: STALE });
  if (create.data)
    return (
      <SecretDialog
        title="Secret of the webhook"
        about="Your server uses it to check that a call comes from Gleaner (Standard Webhooks). It is shown once."
        label="Secret"
        secret={create.data.secret}
        done="I have copied it"
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="New webhook"
      onClose={onClose}
      sent={create}
      onSubmit={() => create.mutate()}
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
          {choicesOf(EVENT_WORDS).map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </div>
      </Checkbox.Group>
    </FormDialog>
  );
}

/** Whether a webhook is called, and why not. */
function WebhookState({ webhook: { enabled, disabled_reason: reason, paused_until: until } }: LineProps) {
  if (!enabled) return <Status status={reason === null ? 'cancelled' : 'attention'} word="off" />;
  return until === null ? (
    <Status status="succeeded" word="on" />
  ) : (
    <Status status="attention" word="failing" />
  );
}

interface LineProps {
  webhook: Webhook;
}

function WebhookLine({ webhook }: LineProps) {
  const { id, url, enabled, events, disabled_reason: reason, paused_until: until } = webhook;
  const toggle = useChange(() => call('updateWebhook', { params: { id }, body: { enabled: !enabled } }), {
    stale: STALE,
  });
  const remove = useChange(() => call('deleteWebhook', { params: { id } }), { stale: STALE });
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
            (reason ?? events.join(', '))
          )}
        </span>
      </span>
      <RowMenu
        name={url}
        actions={[
          { label: enabled ? 'Switch off' : 'Switch on', onClick: () => toggle.mutate() },
          {
            label: 'Delete',
            isRed: true,
            confirm: {
              title: 'Delete this webhook',
              action: 'Delete webhook',
              run: () => remove.mutateAsync(),
              children: `Gleaner stops calling ${url} and deletes its deliveries.`,
            },
          },
        ]}
      />
    </li>
  );
}

/** The account's webhooks, each with a switch. */
export function WebhookList() {
  const { search } = useListSearch();
  const webhooks = useInfiniteQuery({
    ...listQuery('listWebhooks', { query: search === undefined ? {} : { search } }),
    placeholderData: keepPreviousData,
  });
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
