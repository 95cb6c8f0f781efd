-- How long the tasks of a chunk have waited for hosts and further attempts.
ALTER TABLE gleaner.chunks ADD COLUMN paused_ms integer NOT NULL DEFAULT 0;
