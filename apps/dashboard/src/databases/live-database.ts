import { operationQuery } from '../api/call.ts';

/** Work adds tables and rows while a page is open. An account's own database is asked too, so not often. */
const LIVE_MS = 10_000;

/** A database with its tables, as they come. */
export function liveDatabase(id: string) {
  return { ...operationQuery('getDatabase', { params: { id } }), refetchInterval: LIVE_MS };
}
