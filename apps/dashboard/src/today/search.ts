import { readOneOf, readText, searchReader } from '../parts/read-search.ts';

/** The period of the first page, in its address; of an account that has nothing, the page that is tried. */
export const readTodaySearch = searchReader({
  period: readOneOf(['day', 'week', 'month'] as const),
  url: readText,
});
