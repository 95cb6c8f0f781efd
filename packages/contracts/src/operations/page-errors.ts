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

/** Whether an operation is given a page, or an address where it fetches one. */
export function hasPage({ html, url }: { html?: string | undefined; url?: string | undefined }): boolean {
  return (html ?? url) !== undefined;
}

export const GIVE_PAGE = { path: ['html'], message: 'give html or url' };
