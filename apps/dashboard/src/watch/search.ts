import { readText, searchReader } from '../parts/read-search.ts';

/** The address of the page that the form begins with. */
export const readWatchSearch = searchReader({ url: readText });
