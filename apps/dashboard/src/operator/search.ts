import { readOneOf, readSearched, searchReader } from '../parts/read-search.ts';

/** The open tab, of which undefined is the first, health; and what the accounts are searched for. */
export const readOperatorSearch = searchReader({
  tab: readOneOf(['accounts', 'queues']),
  search: readSearched,
});
