/** What can go wrong when an operation fetches a page and reads it. */
export const FETCH_ERRORS = [
  'extraction_failed',
  'concurrency_limit_exceeded',
  'fetch_failed',
  'target_blocked',
  'fetch_timed_out',
] as const;

/** The same when it may be given the page instead. */
export const PAGE_ERRORS = [...FETCH_ERRORS, 'html_too_large'] as const;
