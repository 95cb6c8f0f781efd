-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.fetched_pages_unguessed;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY fetched_pages_unguessed ON gleaner.fetched_pages (run_no, seq) WHERE NOT is_guessed;
