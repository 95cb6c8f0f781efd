-- A success is charged what its way cost. max_credits: what a run may ever charge; null: the price of all tasks.
ALTER TABLE gleaner.runs ADD COLUMN max_credits bigint;
--> statement-breakpoint
-- By how much flushed successes that are not yet charged cost less than the run's price each. Processes of earlier versions
-- count successes alone, and their pages have one price.
ALTER TABLE gleaner.chunks ADD COLUMN saved bigint NOT NULL DEFAULT 0;
