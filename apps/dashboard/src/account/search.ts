import { readListSearch, type ListSearch } from '../parts/list-search.ts';
import { DELIVERY_STATES, isOneOf, type DeliveryState } from '@gleaner/contracts/values';

/** The search of the webhooks, and the filter of their deliveries. */
export interface WebhooksSearch extends ListSearch {
  status?: DeliveryState | undefined;
}

export function readWebhooksSearch({ status, ...rest }: Record<string, unknown>): WebhooksSearch {
  return { ...readListSearch(rest), status: isOneOf(DELIVERY_STATES, status) ? status : undefined };
}
