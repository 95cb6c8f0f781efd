-- The way by which the pages of a chunk are read: an index of `ways` in its run's config. Of a result, null is the first.
ALTER TABLE gleaner.chunks ADD COLUMN way smallint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE gleaner.results ADD COLUMN way smallint;
