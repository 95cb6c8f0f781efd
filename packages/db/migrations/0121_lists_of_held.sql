-- outside a transaction
-- The runs of an account with rows that wait, with failures, and with a table: the filters of its lists find these first.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.quarantined_rows_waiting;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY quarantined_rows_waiting ON gleaner.quarantined_rows (account_id, run_no)
WHERE state IN ('suspect', 'held', 'releasing');
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.runs_failed;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY runs_failed ON gleaner.runs (account_id) INCLUDE (no, root_no) WHERE failed > 0;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.runs_table;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY runs_table ON gleaner.runs (account_id, (sink ->> 'table')) WHERE sink ->> 'table' IS NOT NULL;
