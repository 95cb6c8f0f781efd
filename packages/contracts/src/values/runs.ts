/** States of runs: jobs, batches and workflow runs. */
export const RUN_STATES = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const UNFINISHED_STATES: readonly RunState[] = ['pending', 'running'];

/** Whether nothing of a run changes any more, unless it is retried. */
export function hasEnded(state: RunState): boolean {
  return !UNFINISHED_STATES.includes(state);
}

/** What an account submits. The stages of a workflow run are runs of their own, which no list shows. */
export const RUN_KINDS = ['job', 'batch', 'workflow'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** Where results go: kept for the API, or written as rows of a database. */
export const RESULT_MODES = ['return', 'database'] as const;
export type ResultMode = (typeof RESULT_MODES)[number];

/** Why inputs of a workflow run wait, as the database names it. */
export const PAUSE_CAUSES = ['credits', 'pending', 'limit'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/** Why inputs of a workflow run wait, as the API names it. */
export const PAUSE_REASONS = ['insufficient credits', 'pending limit', 'limits.credits'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** How far the source of a run is: a sitemap or a feed that gives its inputs. */
export const SOURCE_STATES = ['reading', 'read', 'failed', 'cancelled'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** What a source of inputs is. */
export const INPUT_SOURCES = ['sitemap', 'feed'] as const;
export type InputSource = (typeof INPUT_SOURCES)[number];

/** Which kept pages of a batch are parsed again. */
export const REPARSED_PAGES = ['all', 'failed', 'quarantined'] as const;
export type ReparsedPages = (typeof REPARSED_PAGES)[number];
