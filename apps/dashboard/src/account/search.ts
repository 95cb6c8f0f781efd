import { DELIVERY_STATES, isOneOf, type DeliveryState } from '@gleaner/contracts/values';

/** The filter of the list of deliveries. */
export interface WebhooksSearch {
  status?: DeliveryState | undefined;
}

export function readWebhooksSearch({ status }: Record<string, unknown>): WebhooksSearch {
  return { status: isOneOf(DELIVERY_STATES, status) ? status : undefined };
}
