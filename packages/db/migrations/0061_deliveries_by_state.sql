-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.outbox_list_state;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY outbox_list_state ON gleaner.outbox (account_id, state, id);
