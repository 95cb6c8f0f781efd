/** What a firing does while an earlier run of its cron is unfinished. */
export const OVERLAPS = ['skip', 'queue', 'replace', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

export const FIRING_OUTCOMES = ['started', 'skipped', 'queued', 'missed', 'failed'] as const;
export type FiringOutcome = (typeof FIRING_OUTCOMES)[number];

/** Why a cron fired: it was due, by a request, for a past due time, or late. */
export const FIRING_CAUSES = ['schedule', 'trigger', 'backfill', 'catchup'] as const;
export type FiringCause = (typeof FIRING_CAUSES)[number];

/** What a collection is made of: a cron, or a parser whose batches fill a table. */
export const COLLECTION_KINDS = ['cron', 'parser'] as const;
export type CollectionKind = (typeof COLLECTION_KINDS)[number];
