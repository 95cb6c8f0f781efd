import { CHANGE_KINDS } from '@gleaner/contracts/values';
import { readOneOf, readText, searchReader } from '../parts/read-search.ts';

/** The opened tab, row and kind of changes; the order of a table's rows, a column or one with a minus in front, the hidden columns, and the filter as JSON for the API. */
export const readRowsSearch = searchReader({
  tab: readOneOf(['changes']),
  kinds: readOneOf(CHANGE_KINDS),
  row: readText,
  order: readText,
  hidden: (value) => {
    const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
    return names.length === 0 ? undefined : names;
  },
  // The address takes JSON apart.
  filter: (value) => readText(typeof value === 'object' && value !== null ? JSON.stringify(value) : value),
});
