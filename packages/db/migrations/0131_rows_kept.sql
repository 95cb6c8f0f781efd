-- Rows of a run's table in which a value of an earlier fetch stayed.
ALTER TABLE gleaner.runs ADD COLUMN rows_kept bigint NOT NULL DEFAULT 0;
