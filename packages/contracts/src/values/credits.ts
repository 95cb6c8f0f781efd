/** Entries of the credit ledger. */
export const LEDGER_KINDS = ['grant', 'reserve', 'settle', 'release'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];
