import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call, type CallInput, type CallOutput, type OperationId } from './call.ts';

/** A query over one operation: its key is the operation's name and input. */
export function operationQuery<N extends OperationId>(name: N, input: CallInput<N>) {
  return queryOptions({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
  });
}

interface Listed {
  pagination: { cursor: string | null; has_more: boolean };
}
type ListName = {
  [N in OperationId]: CallOutput<N> extends Listed ? N : never;
}[OperationId];

const PAGE_SIZE = 100;

/** A list that is read page by page as it scrolls. */
export function listQuery<N extends ListName>(name: N, input: CallInput<N>) {
  return infiniteQueryOptions({
    queryKey: [name, 'pages', input],
    queryFn: ({ pageParam, signal }) => {
      const { query, ...rest }: { query?: object } = input;
      const paged = { ...rest, query: { ...query, limit: PAGE_SIZE, cursor: pageParam } };
      return call(name, paged as unknown as CallInput<N>, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as Listed).pagination.cursor ?? undefined,
  });
}
