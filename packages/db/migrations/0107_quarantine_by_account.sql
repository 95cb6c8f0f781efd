-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.quarantined_rows_account;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY quarantined_rows_account ON gleaner.quarantined_rows (account_id);
