-- How many rows of tables that keep their changes were new (or returned), changed and removed, in the same hours and lines.
ALTER TABLE gleaner.usage_deltas ADD COLUMN rows_new bigint NOT NULL DEFAULT 0, ADD COLUMN rows_changed bigint NOT NULL DEFAULT 0,
  ADD COLUMN rows_removed bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE gleaner.usage_hours ADD COLUMN rows_new bigint NOT NULL DEFAULT 0, ADD COLUMN rows_changed bigint NOT NULL DEFAULT 0,
  ADD COLUMN rows_removed bigint NOT NULL DEFAULT 0;
