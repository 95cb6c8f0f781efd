import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call, type CallInput, type OperationId } from './call.ts';

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
