import { createClient, type Client, type Operations } from '@gleaner/client';
import type {
  exportBatch,
  exportCrawlUrls,
  exportTable,
  exportWorkflowRunResults,
  getChanges,
} from '@gleaner/contracts';
import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query';

/** A query over one operation: its key is the operation's name and input. */
export function operationQuery<N extends OperationId>(name: N, input: CallInput<N>) {
  return queryOptions({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
  });
}

/** A page of a list says where the next one begins: in `pagination`, or beside its rows. */
interface ListPage {
  pagination?: { cursor: string | null };
  cursor?: string;
}
type QueryOf<Input> = Input extends { query?: infer Query } ? NonNullable<Query> : object;
type ListName = {
  [N in OperationId]: 'cursor' extends keyof QueryOf<CallInput<N>> ? N : never;
}[OperationId];

const PAGE_SIZE = 100;

/**
 * A list that is read page by page as it scrolls.
 * @param version a change of it reads the list again
 */
export function listQuery<N extends ListName>(name: N, input: CallInput<N>, version?: unknown) {
  return infiniteQueryOptions({
    queryKey: [name, 'pages', input, version],
    queryFn: ({ pageParam, signal }) => {
      const { query, ...rest }: { query?: object } = input;
      const paged = { ...rest, query: { ...query, limit: PAGE_SIZE, cursor: pageParam } };
      return call(name, paged as unknown as CallInput<N>, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => {
      const { pagination, cursor }: ListPage = page;
      return pagination?.cursor ?? cursor;
    },
  });
}

export const sessionQuery = queryOptions({
  queryKey: ['getSession'],
  queryFn: () => call('getSession', {}),
  staleTime: 60_000,
  retry: false,
});

export const operatorQuery = queryOptions({
  ...operationQuery('getOperatorSession', {}),
  staleTime: 60_000,
});

export interface ChangeOptions<T> {
  /** The first words of the queries that the change makes stale, such as `listCrons`. */
  stale?: readonly string[];
  /** Runs once the stale queries are read again. */
  onDone?: (done: T) => unknown;
}

/** A change at the service. Whether it succeeds or fails, what it may have made stale is read again. */
export function useChange<T, Input = void>(
  change: (input: Input) => Promise<T>,
  { stale = [], onDone }: ChangeOptions<T> = {},
): UseMutationResult<T, Error, Input> {
  const client = useQueryClient();
  const refresh = async (): Promise<void> => {
    await Promise.all(stale.map((name) => client.invalidateQueries({ queryKey: [name] })));
  };
  return useMutation({
    mutationFn: change,
    onSuccess: async (done) => {
      await refresh();
      await onDone?.(done);
    },
    onError: refresh,
  });
}

type OperationId = keyof Operations;
/** Path parameters, query and body of an operation. */
export type CallInput<I extends OperationId> = Operations[I]['input'];
/** The answer of an operation. */
export type CallOutput<I extends OperationId> = Operations[I]['answer'];

/** Fires `signed-out` when an answer reports the end of the session. */
export const signedOut = new EventTarget();

/** The operator's session is separate: when it ends, the account's continues. */
function isOfAccount(url: string): boolean {
  return !/^\/(admin\/api|session\/operator)\b/.test(new URL(url).pathname);
}

/**
 * The client of this origin, with the session of its cookie. The header tells the service that the request is not from a page
 * of another site. Queries and people repeat failed calls, so the client does not.
 */
export const client = createClient({
  baseUrl: '',
  retries: 0,
  headers: { 'x-gleaner-dashboard': '1' },
  fetch: async (input, init) => {
    const response = await fetch(input, { ...init, credentials: 'same-origin' });
    if (response.status === 401 && isOfAccount(response.url))
      signedOut.dispatchEvent(new Event('signed-out'));
    return response;
  },
});

/** Calls an operation of the account that is signed in. @throws GleanerError */
export const { call } = client;

type ExportPath =
  | typeof exportBatch.path
  | typeof exportTable.path
  | typeof getChanges.path
  | typeof exportCrawlUrls.path
  | typeof exportWorkflowRunResults.path;

/** The address of a download, relative to this origin: the browser itself saves it. */
export function exportUrl(
  path: ExportPath,
  { params, query }: { params: Record<string, string>; query: Record<string, string | undefined> },
): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_match, key: string) =>
    encodeURIComponent(params[key] ?? ''),
  );
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `${address}?${new URLSearchParams(given).toString()}`;
}

type UploadFields = Omit<Parameters<Client['batches']['createFromFile']>[0], 'file'>;

/** Creates a batch from a file or text. @throws GleanerError */
export async function uploadBatch(
  fields: UploadFields,
  inputs: Blob,
  format: 'csv' | 'txt',
): Promise<unknown> {
  const contentType = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const file = { content: inputs, filename: `inputs.${format}`, contentType };
  return client.batches.createFromFile({ ...fields, file });
}
