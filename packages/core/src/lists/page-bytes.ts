/** Text of one page at most, but for a first row that is larger: what is sent at once must fit into memory. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;
