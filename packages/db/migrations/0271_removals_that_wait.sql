-- outside a transaction
-- The removals of an account that wait: tables and databases are not dropped before they are decided.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.run_judgements_held;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY run_judgements_held ON gleaner.run_judgements (account_id) WHERE state IN ('held', 'publishing');
