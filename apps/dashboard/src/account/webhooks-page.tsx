import { DELIVERY_STATES } from '@gleaner/contracts/values';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { listQuery, call, useChange, type CallOutput } from '../api/call.ts';
import { shortUrl } from '../format/format.ts';
import type { Column } from '../parts/data-table.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import { IconPlus, IconRefresh } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { OpenButton, ActionButton } from '../parts/buttons.tsx';
import { Filters, Page, Status, statusChoices, Facts, Failure } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { When } from '../parts/when.tsx';
import { NewWebhook, WebhookList } from './webhook-list.tsx';
import { Modal } from '@mantine/core';
import { CodeBlock } from '../parts/copy.tsx';

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
    { header: 'State', width: '96px', cell: ({ status }) => <Status status={status} /> },
    {
      header: 'Event',
      width: 'minmax(110px, 1fr)',
      cell: (one) => (
        <button type="button" className="link" onClick={() => onOpen(one)}>
          {one.event}
        </button>
      ),
    },
    {
      header: 'To',
      isExtra: true,
      width: 'minmax(140px, 1fr)',
      cell: ({ url }) => <span className="soft">{shortUrl(url)}</span>,
    },
    {
      header: 'Answer',
      isExtra: true,
      width: 'minmax(100px, 1fr)',
      cell: (one) => <span className="soft">{one.response_status ?? one.error ?? ''}</span>,
    },
    { header: 'Attempts', isExtra: true, width: '80px', align: 'right', cell: ({ attempts }) => attempts },
    { header: 'Created', width: '104px', cell: (one) => <When at={one.created_at} /> },
  ];
}

function Deliveries() {
  const { status } = useSearch({ from: '/app/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const query = useInfiniteQuery({
    ...listQuery('listDeliveries', { query: status === undefined ? {} : { status } }),
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
          onOpen={(one) => setShown(one)}
          columns={columnsOf((one) => setShown(one))}
          empty={<p className="state soft">{status ? 'No deliveries match.' : 'Nothing was sent yet.'}</p>}
        />
      </div>
      {shown && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

/** Webhooks and their deliveries. */
export function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      filters={<SearchField label="Search in Webhooks" placeholder="Address or id" />}
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
