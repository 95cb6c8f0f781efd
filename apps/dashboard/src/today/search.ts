import { readOneOf, searchReader } from '../parts/read-search.ts';

/** The period of the first page, in its address. */
export const readTodaySearch = searchReader({ period: readOneOf(['day', 'week', 'month'] as const) });
