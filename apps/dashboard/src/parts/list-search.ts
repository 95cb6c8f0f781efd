import { useSearch } from '@tanstack/react-router';
import { readSearched, searchReader } from './read-search.ts';

/** The search of a list, in the page's address. */
export const readListSearch = searchReader({ search: readSearched });

/** What the opened list is searched for, as the query of its operation. */
export function useListSearch(): { search?: string } {
  return readListSearch(useSearch({ strict: false }));
}
