/** Entries of the credit ledger. */
export const LEDGER_KINDS = ['grant', 'reserve', 'settle', 'release'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** How usage is divided. */
export const USAGE_GROUPS = ['hour', 'day', 'key', 'parser', 'cron', 'host'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];
