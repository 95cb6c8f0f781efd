import { useSearch } from '@tanstack/react-router';

/** The search of a list, in the page's address. */
export interface ListSearch {
  search?: string | undefined;
}

export function readListSearch({ search }: Record<string, unknown>): ListSearch {
  // Digits alone arrive as a number.
  const text = typeof search === 'number' ? String(search) : search;
  return typeof text === 'string' && text !== '' ? { search: text } : {};
}

/** What the opened list is searched for, as the query of its operation. */
export function useListSearch(): { search?: string } {
  const { search } = readListSearch(useSearch({ strict: false }));
  return search === undefined ? {} : { search };
}
