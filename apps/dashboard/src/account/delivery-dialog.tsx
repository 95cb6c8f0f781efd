import { Modal } from '@mantine/core';
import { call, type CallOutput } from '../api/call.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { IconRefresh } from '../parts/icons.ts';
import { Failure } from '../parts/states.tsx';
import { useChange } from '../parts/use-change.ts';
import { Status, When } from '../parts/values.tsx';

export type Delivery = CallOutput<'listDeliveries'>['deliveries'][number];

/** One delivery: the request, the response, and a button to send it again. */
export function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
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
