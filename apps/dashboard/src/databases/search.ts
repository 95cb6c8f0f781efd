import { readText, searchReader } from '../parts/read-search.ts';

/** The order of a table's rows, a column or one with a minus in front, and the filter as JSON for the API. */
export const readRowsSearch = searchReader({
  order: readText,
  // The address takes JSON apart.
  filter: (value) => readText(typeof value === 'object' && value !== null ? JSON.stringify(value) : value),
});
