-- outside a transaction
-- The runs for which an expired window may have to stay: those that live, and those with a long upload.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.runs_window;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY runs_window ON gleaner.runs (no) WHERE state IN ('pending', 'running');
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.runs_late;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY runs_late ON gleaner.runs (created_at)
WHERE created_at - to_timestamp((no >> 20) / 1000.0) > interval '1 hour';
