/** What can go wrong when an operation reads a page that it is given or fetches. */
export const PAGE_ERRORS = [
  'insufficient_credits',
  'html_too_large',
  'extraction_failed',
  'concurrency_limit_exceeded',
  'fetch_failed',
  'target_blocked',
  'fetch_timed_out',
] as const;
