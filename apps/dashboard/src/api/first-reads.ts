import type { QueryClient } from '@tanstack/react-query';
import { listQuery, operationQuery } from './call.ts';

type Params = Readonly<Record<string, string>>;

/** The lists and records that pages show first, by the identifiers of their routes. */
const READS: Readonly<Record<string, (client: QueryClient, params: Params) => Promise<unknown>>> = {
  '/app': (client) => client.prefetchQuery(operationQuery('getCredits', {})),
  '/app/': (client) => client.prefetchQuery(operationQuery('getOverview', {})),
  '/app/parsers': (client) => client.prefetchInfiniteQuery(listQuery('listParsers', { query: {} })),
  '/app/crons': (client) => client.prefetchInfiniteQuery(listQuery('listCrons', { query: {} })),
  '/app/databases': (client) => client.prefetchInfiniteQuery(listQuery('listDatabases', { query: {} })),
  '/app/credits': (client) => client.prefetchInfiniteQuery(listQuery('listLedger', { query: {} })),
  '/app/parsers/$parserId': (client, { parserId = '' }) =>
    client.prefetchQuery(operationQuery('getParser', { params: { id: parserId } })),
  '/app/runs/batches/$batchId': (client, { batchId = '' }) =>
    client.prefetchQuery(operationQuery('getBatch', { params: { id: batchId } })),
  '/app/crons/$cronId': (client, { cronId = '' }) =>
    client.prefetchQuery(operationQuery('getCron', { params: { id: cronId } })),
};

/**
 * Starts what the opened page reads beside the check of the session, instead of after it. A visitor who is not signed
 * in gets one refusal more.
 */
export function startFirstRead(client: QueryClient, routeId: string, params: Params): void {
  void READS[routeId]?.(client, params);
}
