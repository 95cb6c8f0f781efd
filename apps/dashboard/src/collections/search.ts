import { readOneOf, searchReader } from '../parts/read-search.ts';

export const COLLECTION_TABS = {
  rows: 'Rows',
  runs: 'Runs',
  fields: 'Pages & fields',
  where: 'When & where',
} as const;

/** The open tab of a collection. */
export const readCollectionSearch = searchReader({
  tab: readOneOf(['rows', 'runs', 'fields', 'where'] as const),
});
