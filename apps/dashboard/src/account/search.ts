const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** The filter of the list of deliveries. */
export interface WebhooksSearch {
  status?: (typeof DELIVERY_STATES)[number] | undefined;
}

export function readWebhooksSearch({ status }: Record<string, unknown>): WebhooksSearch {
  return { status: DELIVERY_STATES.find((known) => known === status) };
}
