/** Kinds of resources that may have a slug, which stands wherever the id can. */
export const SLUGGED_KINDS = ['parser', 'database', 'cron', 'workflow', 'webhook', 'alert'] as const;

export type SluggedKind = (typeof SLUGGED_KINDS)[number];

/** No slug is an id: an id has an underscore. */
export const SLUG = /^[a-z][a-z0-9-]{0,62}$/;

/** Words of the dashboard's addresses that stand where an id can; no slug is one of them. */
export const PAGE_WORDS: readonly string[] = ['new'];
