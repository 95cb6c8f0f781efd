import { readOneOf, readText, searchReader } from '../parts/read-search.ts';

const TABS = ['rows', 'runs', 'fields', 'where'] as const;
export type CollectionTab = (typeof TABS)[number];

/** The open tab of a collection, and its opened row. */
export const readCollectionSearch = searchReader({ tab: readOneOf(TABS), row: readText });
