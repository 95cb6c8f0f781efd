-- The old name said that runs take turns; the new one says what the column holds.
ALTER TABLE gleaner.runs RENAME COLUMN turn TO last_served;
--> statement-breakpoint
ALTER INDEX gleaner.runs_turn RENAME TO runs_last_served;
