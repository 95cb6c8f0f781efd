-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.runs_list_state;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY runs_list_state ON gleaner.runs (account_id, kind, state, id);
