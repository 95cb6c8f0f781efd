import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { listQuery, type CallInput } from '../api/call.ts';
import { useListSearch } from './list-search.ts';

/** The list that the page searches. Those of the search before stay until the new ones are read. */
export function useFound<N extends Parameters<typeof listQuery>[0]>(
  name: N,
  options: { refetchInterval?: number } = {},
) {
  const query = listQuery(name, { query: useListSearch() } as CallInput<N>);
  return useInfiniteQuery({ ...query, placeholderData: keepPreviousData, ...options });
}
