import { readText, searchReader } from '../parts/read-search.ts';

/** The address of the page that is tried. */
export const readTrySearch = searchReader({ url: readText });
