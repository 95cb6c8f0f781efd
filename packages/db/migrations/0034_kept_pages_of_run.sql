-- outside a transaction
-- The pages of one run, newest first, without reading those of the account's other runs.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.kept_pages_run;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY kept_pages_run ON gleaner.kept_pages (run_id, id);
