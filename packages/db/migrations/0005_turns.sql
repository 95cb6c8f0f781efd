-- Runs take turns in each queue.
DROP INDEX gleaner.runs_turn;
--> statement-breakpoint
CREATE INDEX runs_turn ON gleaner.runs (account_id, queue, turn) WHERE is_open;
