import { DELIVERY_STATES } from '@gleaner/contracts/values';
import { readOneOf, readSearched, searchReader } from '../parts/read-search.ts';

/** The search of the webhooks, and the filter of their deliveries. */
export const readWebhooksSearch = searchReader({ search: readSearched, status: readOneOf(DELIVERY_STATES) });
