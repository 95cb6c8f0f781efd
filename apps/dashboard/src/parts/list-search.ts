import { useSearch } from '@tanstack/react-router';
import { readListSearch } from './read-search.ts';
import {
  keepPreviousData,
  useInfiniteQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { listQuery } from '../api/call.ts';

/** What the opened list is searched for, as the query of its operation. */
export function useListSearch(): { search?: string } {
  return readListSearch(useSearch({ strict: false }));
}

/** Whether a list without a search is read and has nothing: then there is nothing to search. */
export function isNothing<Read>(
  query: Pick<UseInfiniteQueryResult<InfiniteData<Read>>, 'data' | 'isPlaceholderData'>,
  rowsOf: (page: Read) => readonly unknown[],
): boolean {
  const { data, isPlaceholderData } = query;
  return !isPlaceholderData && data?.pages.flatMap(rowsOf).length === 0;
}

/** The list that the page searches. Those of the search before stay until the new ones are read. */
export function useFound<N extends Parameters<typeof listQuery>[0]>(
  name: N,
  options: { refetchInterval?: number } = {},
) {
  const query = listQuery(name, { query: useListSearch() });
  return useInfiniteQuery({ ...query, placeholderData: keepPreviousData, ...options });
}
