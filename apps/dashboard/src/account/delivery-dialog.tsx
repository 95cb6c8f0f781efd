import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type CallOutput } from '../api/call.ts';
import { CodeBlock } from '../parts/copy.tsx';
import { IconRefresh } from '../parts/icons.ts';
import { Failure } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';

export type Delivery = CallOutput<'listDeliveries'>['deliveries'][number];

/** One delivery: the request, the response, and a button to send it again. */
export function DeliveryDialog({
  delivery,
  onClose,
}: {
  delivery: Delivery | undefined;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: (id: string) => call('replayDelivery', { params: { deliveryId: id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['listDeliveries'] });
      onClose();
    },
  });
  return (
    <Modal opened={delivery !== undefined} onClose={onClose} title={delivery?.event ?? ''} size="lg">
      {delivery && (
        <div className="stack">
          <dl className="facts">
            <dt>State</dt>
            <dd>
              <Status status={delivery.status} />
            </dd>
            <dt>Sent to</dt>
            <dd>{delivery.url}</dd>
            <dt>Attempts</dt>
            <dd>{delivery.attempts}</dd>
            {delivery.next_attempt_at !== null && (
              <>
                <dt>Next attempt</dt>
                <dd>
                  <When at={delivery.next_attempt_at} />
                </dd>
              </>
            )}
            {delivery.error !== null && (
              <>
                <dt>Why</dt>
                <dd>{delivery.error}</dd>
              </>
            )}
            {delivery.response_status !== null && (
              <>
                <dt>Answer</dt>
                <dd>
                  {delivery.response_status} <code>{delivery.response_body?.slice(0, 300)}</code>
                </dd>
              </>
            )}
          </dl>
          <CodeBlock text={JSON.stringify(delivery.payload, null, 2)} label="What is sent" />
          {replay.error !== null && <Failure error={replay.error} />}
          <div>
            <Button
              leftSection={<IconRefresh size={14} />}
              loading={replay.isPending}
              onClick={() => replay.mutate(delivery.id)}
            >
              Send again
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}
